import type { z } from "zod";
import type { ProxyKey } from "../../config/proxy/config.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";
import type { Actor } from "./key-rows.ts";

/** The context of a request to the admin API or to the API of a key's own calls. */
export interface AdminContext {
  readonly services: Services;
  readonly runtime: Runtime;
  /** The caller's key. */
  readonly key: ProxyKey | undefined;
  readonly actor: Actor;
}

export interface AdminResponse {
  readonly status: number;
  readonly body?: unknown;
  /** The content type of a text response; undefined for JSON. */
  readonly type?: string;
}

/** A route: the schemas of its request and its response, and its handler. */
export interface AdminRoute {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly status: number;
  readonly response: z.ZodType;
  serve(context: AdminContext, input: never): Promise<AdminResponse>;
}

interface Input<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** Creates a route. The function `serve` in `options` returns the JSON body or a `TextResponse`. */
export function route<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodUndefined,
>(options: {
  readonly method: AdminRoute["method"];
  readonly path: string;
  readonly summary: string;
  readonly query?: Query;
  readonly body?: Body;
  readonly status?: number;
  readonly response: z.ZodType;
  serve(context: AdminContext, input: Input<z.output<Query>, z.output<Body>>): Promise<unknown>;
}): AdminRoute {
  const { status = 200, serve } = options;
  return {
    ...options,
    status,
    async serve(context, input) {
      const body = await serve(context, input);
      return isResponse(body) ? body : { status, body };
    },
  };
}

/** A response that is not JSON. */
export class TextResponse implements AdminResponse {
  readonly status = 200;
  readonly type: string;
  readonly body: string;
  constructor(type: string, body: string) {
    this.type = type;
    this.body = body;
  }
}
const isResponse = (body: unknown): body is TextResponse => body instanceof TextResponse;
