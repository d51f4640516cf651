import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Codec, EncodeContext } from "../../src/proxy/exchange/codec.ts";
import type { ExchangeResponse } from "../../src/proxy/exchange/response.ts";
import { createSseParser } from "../../src/sse/parse.ts";
import { collect, decodeAll, encodeAll, encodeContext, parseEvents, withoutOrigin } from "./exchange.ts";
import { streamOf } from "./exchange-arbitraries.ts";

interface Laws {
  /** Responses that the dialect can express completely. */
  readonly response: fc.Arbitrary<ExchangeResponse>;
  readonly context?: EncodeContext;
  /** Returns a response without differences that encoding and decoding are allowed to make. */
  readonly normalize?: (response: ExchangeResponse) => unknown;
}

/**
 * Declares tests of the properties that a codec must have for every response: encoding and decoding preserve the
 * response, as a complete body, as a stream, and as a stream split at any byte.
 */
export function checkResponseLaws(
  codec: Codec,
  { response, context = encodeContext(), normalize = withoutOrigin }: Laws,
): void {
  it("decodes every response that it encodes", () => {
    fc.assert(
      fc.property(response, (response) => {
        const written = JSON.parse(JSON.stringify(codec.encodeResponse(response, context).value));
        expect(normalize(codec.decodeResponse(written).value)).toEqual(normalize(response));
      }),
    );
  });

  it("encodes a stream with the same content as a complete response", () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat(40), { maxLength: 5 }), (response, cuts) => {
        const events = parseEvents(encodeAll(codec, streamOf(response, cuts), context));
        expect(normalize(collect(decodeAll(codec, events)))).toEqual(normalize(response));
      }),
    );
  });

  it("decodes a stream equally, wherever its bytes are split", () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat(4_000), { maxLength: 12 }), (response, cuts) => {
        const bytes = Buffer.from(encodeAll(codec, streamOf(response, [3]), context));
        const parser = createSseParser();
        const bounds = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
        const events = bounds.slice(1).flatMap((end, at) => parser.push(bytes.subarray(bounds[at], end)));
        const decoded = decodeAll(codec, [...events, ...parser.end()]);
        expect(normalize(collect(decoded))).toEqual(normalize(response));
      }),
    );
  });
}
