import { getProfile } from "../dialects/index.ts";
import type { ModelRoute } from "../routes.ts";
import type { Targets } from "../routing/select-targets.ts";
import type { Services } from "../services.ts";
import { type AdmittedRequest, type Call, endCounts, openCall, settle } from "./call.ts";
import { type CallBody, readCallBody, refuseExcess, wholeBody } from "./call-body.ts";
import { chooseTargets, setTargets } from "./choose-targets.ts";
import { respondWithError, respondWithTokenEstimate } from "./client-response.ts";
import { serveWithDeferredUsage } from "./deferred-usage.ts";
import { respondWithEcho } from "./echo.ts";
import { serveIndirectly } from "./indirect-calls.ts";
import { chooseLane, DONE, type Lane, type LaneResult } from "./lane.ts";
import { limitTotal } from "./limit-total.ts";
import { serveNatively } from "./native.ts";
import { observeRequest } from "./observe-call.ts";
import { type CalledOperation, calledOperation } from "./operation-path.ts";
import { serveStoredResponse } from "./stored-responses.ts";
import { serveTranslated } from "./translated.ts";

/**
 * Serves one call to a model, after admission. Resolves when the call has ended; the last bytes of its response are
 * sent once the call has been recorded (`endWith`).
 */
export async function handleCall(
  admitted: AdmittedRequest,
  route: ModelRoute,
  services: Services,
): Promise<void> {
  const call = openCall(admitted, route, services);
  const cancelLimit = limitTotal(call);
  try {
    const called = calledOperation(route, call.request.url ?? "", call.params);
    if (called.operation === "stored-response" && (await serveStoredResponse(call))) return;
    const body = await readCallBody(call, called);
    observeRequest(call, called.operation, body);
    const { key, runtime } = call;
    const { limiter } = services;
    if (key?.models !== undefined) limiter.expectAllowedModel(call, called, body);
    const loading = runtime.modelData.load();
    if (loading !== undefined) await loading;
    let targets = await chooseTargets(call, called, body);
    if (await serveIndirectly(call, called, body)) return;
    if (key?.subjects !== undefined) await limiter.reserveForKey(call, called, targets, body);
    if (runtime.hasUpstreamLimits) await limiter.estimateForUpstreams(call, called, targets, body);
    for (;;) {
      const result = await serveInLane(call, called, targets, body);
      if (result.kind === "done") return;
      endCounts(call);
      targets = setTargets(call, result.targets);
    }
  } catch (error) {
    respondWithError(call, error);
  } finally {
    cancelLimit?.();
    settle(call);
  }
}

/** Serves a call in the lane of its first target. The native and translated lanes can continue at later targets. */
function serveInLane(
  call: Call,
  called: CalledOperation,
  targets: Targets,
  body: CallBody,
): Promise<LaneResult> {
  const lane = chooseLane(call, called);
  if (lane === "native") {
    const serve = () => serveNatively(call, called, targets, body);
    return getProfile(call.dialect).storesResponses
      ? serveWithDeferredUsage(call, called, body, serve)
      : serve();
  }
  return serveParsed(call, called, targets, body, lane);
}

async function serveParsed(
  call: Call,
  called: CalledOperation,
  targets: Targets,
  body: CallBody,
  lane: Exclude<Lane, "native">,
): Promise<LaneResult> {
  refuseExcess(call);
  const bytes = await wholeBody(body);
  if (lane === "translated") return serveTranslated(call, called, targets, bytes ?? Buffer.alloc(0));
  if (lane === "echo") await respondWithEcho(call, called, bytes);
  else respondWithTokenEstimate(call, bytes);
  return DONE;
}
