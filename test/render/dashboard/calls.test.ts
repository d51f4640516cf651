import { describe, expect, it } from "vitest";
import { finishedCalls, NO_FILTERS } from "../../../src/render/dashboard/calls.ts";
import { emptyState, finished } from "../../support/dashboard-state.ts";

const state = {
  ...emptyState,
  calls: [
    finished({ id: "failed", status: 502, errorCode: "upstream_error" }),
    finished({ id: "left", status: 499, errorCode: "client_gone" }),
    finished({ id: "left-later", status: 200, errorCode: "client_gone" }),
    finished({ id: "served" }),
  ],
};

describe("the list of finished calls", () => {
  it("does not count a client's disconnect as an error, as the totals do not", () => {
    const { text } = finishedCalls(state, { ...NO_FILTERS, errorsOnly: true }, true);
    expect(text).toContain("1 of 4");
    expect(text).toContain('data-key="failed"');
    expect(text).not.toContain('data-key="left');
  });

  it("marks the calls whose clients have left, whatever their status", () => {
    const { text } = finishedCalls(state, NO_FILTERS, true);
    expect(text.match(/is-left/g)).toHaveLength(2);
    expect(text.match(/is-error/g)).toHaveLength(1);
  });
});
