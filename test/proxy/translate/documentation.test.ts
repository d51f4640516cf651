import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  answerCell,
  answerFeatures,
  clientDialects,
  requestCell,
  requestFeatures,
  table,
  upstreamDialects,
} from "./features.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/translation.md"), "utf8");

describe("docs/translation.md", () => {
  it("tells what becomes of every feature of a request, as the encoders do it", () => {
    expect(page).toContain(table(upstreamDialects, requestFeatures, requestCell));
  });

  it("tells what becomes of every feature of an answer, as the encoders do it", () => {
    expect(page).toContain(table(clientDialects, answerFeatures, answerCell));
  });
});
