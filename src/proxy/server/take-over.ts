import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdmittedRequest } from "../pipeline/call.ts";

/** Detaches the response from Fastify. Returns the request with the response headers that admission has set. */
export function takeOver(request: FastifyRequest, reply: FastifyReply): AdmittedRequest {
  const { raw, runtime, key, params } = request;
  const corsHeaders = Object.entries(reply.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
  reply.hijack();
  const { raw: response } = reply;
  return { request: raw, response, runtime, key, params: params as Record<string, string>, corsHeaders };
}
