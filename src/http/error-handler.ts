import type { FastifyError, FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { sendEarly } from "./early-response.ts";

/** Adds a handler that sends errors as `{error}`. `onFailure` receives errors that the client did not cause. */
export function addErrorHandler(app: FastifyInstance, onFailure?: (error: unknown) => void): void {
  app.setErrorHandler(async (error: FastifyError | AppError, _request, reply) => {
    if (error instanceof AppError) {
      if (error.status >= 500) onFailure?.(error);
      return reply.code(error.status).send({ error: error.message });
    }
    if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE" || error.statusCode === 413) {
      return sendEarly(reply.code(413), JSON.stringify({ error: "Request body is too large" }));
    }
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(status).send({ error: error.message });
    onFailure?.(error);
    return reply.code(500).send({ error: "Internal server error" });
  });
}
