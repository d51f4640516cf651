import { describe, expect, it } from "vitest";
import { decodeInput } from "../../src/agents/decode-input.ts";

const folders = { home: "/home/ada", environment: { GEMINI_PLANS_DIR: "/plans" } };
const decode = (value: unknown) => decodeInput(JSON.stringify(value), folders);

describe("Markdown", () => {
  it.each([
    "# Plan\n\ntext\n",
    '{{title}}\n\n{"plan" is a word here}\n',
    "{ not JSON }",
    '["plan"]',
    "null",
    '{"some": "JSON", "of": "another kind"}',
    "{}",
    "",
  ])("is %j", (text) => {
    expect(decodeInput(text, folders)).toEqual({ kind: "markdown", plan: text });
  });

  it("loses a byte order mark and nothing else", () => {
    expect(decodeInput("\ufeff# Plan\r\n\u2028\0", folders)).toEqual({
      kind: "markdown",
      plan: "# Plan\r\n\u2028\0",
    });
  });
});

describe("an envelope", () => {
  it("brings its members along", () => {
    const envelope = {
      plan: "# Plan",
      origin: "origin_b",
      permissionMode: "plan",
      agents: [{ name: "build", mode: "primary" }],
      sharingEnabled: false,
      cwd: "/work",
    };
    expect(decode(envelope)).toEqual({ kind: "envelope", envelope });
  });

  it.each([
    ["claude-code", "origin_a"],
    ["opencode", "origin_b"],
  ])("names its origin as people call it too: %s", (origin, meant) => {
    expect(decode({ plan: "# Plan", origin })).toEqual({
      kind: "envelope",
      envelope: { plan: "# Plan", origin: meant },
    });
  });

  it("is accepted without unknown members", () => {
    expect(decode({ plan: "# Plan", later: 1 })).toEqual({ kind: "envelope", envelope: { plan: "# Plan" } });
  });

  it.each([
    [{ plan: 5 }, /plan/],
    [{ plan: "x", origin: "origin_c" }, /origin: must be claude-code .* or opencode .*, got "origin_c"/],
    [{ plan: "x", origin: "constructor" }, /origin/],
    [{ plan: "x", agents: [{ mode: "primary" }] }, /id or a name/],
    [{ plan: "x", sharingEnabled: "yes" }, /sharingEnabled: must be true or false, not a string/],
    [{ plan: 5 }, /^The envelope's plan: must be a string, not 5$/],
  ])("is refused rather than shown as text: %j", (value, message) => {
    expect(() => decode(value)).toThrowError(message);
  });
});

describe("Claude Code's event", () => {
  const event = {
    session_id: "s",
    transcript_path: "/t.jsonl",
    cwd: "/work",
    permission_mode: "plan",
    hook_event_name: "PermissionRequest",
    tool_name: "ExitPlanMode",
    tool_input: { plan: "# Plan", planFilePath: "/p.md" },
  };

  it("carries the plan, the mode and the folder, and means origin_a", () => {
    expect(decode(event)).toMatchObject({
      kind: "hook",
      origin: "origin_a",
      permissionMode: "plan",
      cwd: "/work",
      plan: { in: "event", text: "# Plan" },
      channel: { callerName: "Claude Code" },
    });
  });

  it("may come without a plan, or with an empty one", () => {
    for (const input of [{}, { plan: "" }, { plan: " \n" }, { plan: 7 }]) {
      expect(decode({ ...event, tool_input: input })).toMatchObject({
        kind: "hook",
        plan: { in: "nowhere" },
      });
    }
  });

  it("of older versions is known by its plan alone", () => {
    expect(decode({ tool_input: { plan: "# Plan" } })).toMatchObject({ kind: "hook", origin: "origin_a" });
  });

  it("is recognized whatever its other members are", () => {
    const odd = { session_id: 7, transcript_path: null, cwd: null, permission_mode: ["plan"], effort: null };
    const decoded = decode({ ...event, ...odd });
    expect(decoded).toMatchObject({
      kind: "hook",
      origin: "origin_a",
      plan: { in: "event", text: "# Plan" },
    });
    expect(decoded).toMatchObject({ cwd: undefined, permissionMode: undefined });
    for (const input of [null, [], "# Plan", 1]) {
      expect(decode({ ...event, tool_input: input })).toMatchObject({
        kind: "hook",
        plan: { in: "nowhere" },
      });
    }
  });

  it("about another tool is none of ours", () => {
    expect(decode({ ...event, tool_name: "Bash", tool_input: { command: "ls" } })).toEqual({
      kind: "unrelated",
      event: "PermissionRequest Bash",
    });
  });
});

describe("Claude Code's events about a plan", () => {
  it.each(["PostToolUse", "PostToolUseFailure", "PermissionDenied"])(
    "leave nothing to decide once it is too late: %s",
    (name) => {
      const event = { hook_event_name: name, tool_name: "ExitPlanMode", tool_input: { plan: "# Plan" } };
      expect(decode(event)).toEqual({
        kind: "unrelated",
        event: `${name} ExitPlanMode`,
      });
    },
  );
});

describe("other agents' events", () => {
  it("recognizes Gemini CLI's, whose plan is in a file", () => {
    const event = { hook_event_name: "BeforeTool", cwd: "/work", tool_name: "exit_plan_mode" };
    expect(decode({ ...event, tool_input: { plan_filename: "feat.md" } })).toMatchObject({
      channel: { callerName: "Gemini CLI" },
      plan: { in: "file", path: "/plans/feat.md", isReadAgain: true },
    });
    expect(decode({ ...event, tool_name: "write_file" })).toMatchObject({ kind: "unrelated" });
    // The model chose the name, which must not lead out of the folder.
    const path = { ...event, tool_input: { plan_path: "../secret.md" } };
    expect(decode(path)).toMatchObject({ plan: { in: "file", path: "/plans/secret.md" } });
    expect(decodeInput(JSON.stringify(path), { home: "/home/ada", environment: {} })).toMatchObject({
      plan: { in: "nowhere", reason: "GEMINI_PLANS_DIR is not set." },
    });
  });

  it.each([
    [
      "Gemini CLI",
      { hook_event_name: "BeforeTool", tool_name: "exit_plan_mode", transcript_path: "/t.jsonl" },
      [
        [{ type: "info", content: "Request cancelled." }, true],
        [{ type: "info", content: "Update available" }, false],
        [{ type: "gemini", content: "cancelled" }, false],
      ],
    ],
    [
      "Copilot CLI",
      { sessionId: "s1", toolName: "exit_plan_mode" },
      [
        [{ type: "abort", data: { reason: "user_initiated" } }, true],
        [{ type: "user.message", data: {} }, true],
        [{ type: "hook.start", data: {} }, false],
      ],
    ],
  ] as const)("knows the transcript entries after which %s no longer waits", (_name, event, entries) => {
    const decoded = decode(event);
    const transcript = decoded.kind === "hook" ? decoded.transcript : undefined;
    expect(entries.map(([entry]) => transcript?.endsTurn(entry))).toEqual(entries.map(([, ends]) => ends));
  });

  it("recognizes Codex CLI's, whose plan is in the transcript", () => {
    const event = { hook_event_name: "Stop", transcript_path: "/t.jsonl", turn_id: "turn-2" };
    expect(decode(event)).toMatchObject({
      channel: { callerName: "Codex CLI" },
      plan: { in: "file", path: "/t.jsonl" },
      planIsOptional: true,
    });
    expect(decode({ hook_event_name: "Stop", transcript_path: null })).toMatchObject({ kind: "unrelated" });
  });

  it("knows Copilot CLI's in both spellings", () => {
    expect(decode({ sessionId: "s1", toolName: "exit_plan_mode", toolArgs: "{}" })).toMatchObject({
      channel: { callerName: "Copilot CLI" },
      plan: { in: "file", path: "/home/ada/.copilot/session-state/s1/plan.md" },
      transcript: { path: "/home/ada/.copilot/session-state/s1/events.jsonl" },
    });
    const pascal = { hook_event_name: "PreToolUse", session_id: "s2", tool_name: "exit_plan_mode" };
    expect(decode(pascal)).toMatchObject({
      plan: { in: "file", path: "/home/ada/.copilot/session-state/s2/plan.md" },
    });
    const ran = { sessionId: "s1", toolName: "exit_plan_mode", toolArgs: {}, toolResult: {} };
    expect(decode(ran)).toMatchObject({
      kind: "approved",
      plan: { in: "file", path: "/home/ada/.copilot/session-state/s1/plan.md" },
      agentSession: "s1",
    });
    expect(decode({ ...ran, toolName: "bash" })).toEqual({ kind: "unrelated", event: "bash" });
    expect(decode({ sessionId: "s1", toolName: "bash" })).toEqual({ kind: "unrelated", event: "bash" });
  });

  it("knows Qwen Code's: Claude Code's events under another name of the tool", () => {
    const event = {
      hook_event_name: "PermissionRequest",
      cwd: "/work",
      permission_mode: "plan",
      tool_name: "exit_plan_mode",
      tool_input: { plan: "# Plan" },
    };
    expect(decode(event)).toMatchObject({
      kind: "hook",
      cwd: "/work",
      channel: { callerName: "Qwen Code" },
      plan: { in: "event", text: "# Plan" },
    });
    expect(decode(event)).not.toHaveProperty("origin");
    expect(decode({ ...event, tool_input: {} })).toMatchObject({ plan: { in: "nowhere" } });
    const ran = { ...event, hook_event_name: "PostToolUse" };
    expect(decode(ran)).toMatchObject({ kind: "approved", plan: { in: "event", text: "# Plan" } });
    expect(decode({ ...ran, tool_input: {} })).toMatchObject({ kind: "approved", plan: { in: "nowhere" } });
    expect(decode({ ...ran, tool_name: "edit" })).toMatchObject({ kind: "unrelated" });
    expect(decode({ ...event, hook_event_name: "Notification" })).toMatchObject({ kind: "unrelated" });
  });

  it("leaves events alone that it does not know", () => {
    expect(decode({ hook_event_name: "SessionStart" })).toEqual({ kind: "unrelated", event: "SessionStart" });
  });
});
