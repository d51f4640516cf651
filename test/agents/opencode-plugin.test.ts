import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { pluginSource } from "../../src/agents/opencode/plugin-source.ts";
import { kiloProgram, openCodeProgram } from "../../src/agents/opencode/programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The installed plugin, with a stand-in for the command that prints `script`'s output. */
async function submit(
  script: string,
  abort = new AbortController().signal,
  program = process.execPath,
  reader = openCodeProgram,
) {
  const folder = await temporaryFolder();
  const command = join(folder, "command.mjs");
  await writeFile(command, script);
  const plugin = join(folder, "sallyport.mjs");
  await writeFile(plugin, pluginSource([program, command], reader));
  const messages: { body: { agent: string; parts: { text: string }[] } }[] = [];
  const client = {
    app: {
      agents: async () => ({
        data: [{ name: "build", description: "builds", mode: "primary", options: {} }],
      }),
    },
    session: { prompt: async (message: (typeof messages)[number]) => void messages.push(message) },
  };
  const { Sallyport } = await import(pathToFileURL(plugin).href);
  const { tool } = await Sallyport({ client });
  const context = { sessionID: "s", agent: "plan", directory: folder, abort };
  return { output: (await tool.submit_plan.execute({ plan: "# Plan «ß»" }, context)) as string, messages };
}

const deciding = (decision: object) =>
  `process.stdin.resume().on("end", () => console.log('${JSON.stringify(decision)}'))`;

describe("the plugin for Kilo", () => {
  it("names Kilo as the caller, and permits its tool in plan mode unless the person's settings do not", async () => {
    const folder = await temporaryFolder();
    const plugin = join(folder, "sallyport.mjs");
    await writeFile(plugin, pluginSource(["sallyport"], kiloProgram));
    expect(await readFile(plugin, "utf8")).toContain('"--agent","Kilo"');
    const { Sallyport } = await import(pathToFileURL(plugin).href);
    const { config, tool } = await Sallyport({ client: {} });
    expect(tool.submit_plan.description).toContain("instead of plan_exit");
    const settings: { agent?: object } = {};
    await config(settings);
    expect(settings).toEqual({ agent: { plan: { permission: { submit_plan: "allow" } } } });
    const theirs = { agent: { plan: { model: "m", permission: { submit_plan: "deny", bash: "ask" } } } };
    await config(theirs);
    expect(theirs.agent.plan).toEqual({ model: "m", permission: { submit_plan: "deny", bash: "ask" } });
  });
});

describe("long feedback in Kilo", () => {
  it("is the tool's result, because its model does not see a message that is added meanwhile", async () => {
    const script = deciding({ decision: "deny", feedback: "x".repeat(50_000) });
    const { output, messages } = await submit(script, undefined, undefined, kiloProgram);
    expect(output).toContain("x".repeat(50_000));
    expect(messages).toEqual([]);
  });
});

describe("the plugin for OpenCode", () => {
  it("hands over the plan, the agents and the folder, and the arguments of an envelope", async () => {
    const { output } = await submit(`
      let input = "";
      for await (const chunk of process.stdin) input += chunk;
      const feedback = JSON.stringify({ args: process.argv.slice(2), ...JSON.parse(input), cwd: undefined });
      console.log(JSON.stringify({ decision: "deny", feedback }));`);
    expect(JSON.parse(output.slice(output.indexOf("{")))).toEqual({
      args: ["review", "plan", "--origin", "opencode", "--json"],
      plan: "# Plan «ß»",
      origin: "origin_b",
      agents: [{ name: "build", description: "builds", mode: "primary" }],
    });
  });

  it("returns an approval with its feedback and the edited plan", async () => {
    expect((await submit(deciding({ decision: "approve" }))).output).toBe("The person approved the plan.");
    const { output } = await submit(deciding({ decision: "approve", feedback: "Mind it.", plan: "# Mine" }));
    expect(output).toMatch(/approved[\s\S]*Mind it\.[\s\S]*# Mine/);
  });

  it("returns a denial with the instruction to submit again", async () => {
    const { output, messages } = await submit(deciding({ decision: "deny", feedback: "No." }));
    expect(output).toMatch(/did not approve[\s\S]*call submit_plan again[\s\S]*No\.$/);
    expect(messages).toEqual([]);
  });

  it("switches to the agent that was chosen, without asking for a reply", async () => {
    const { messages } = await submit(deciding({ decision: "approve", agentSwitch: "build" }));
    expect(messages).toMatchObject([{ path: { id: "s" }, body: { agent: "build", noReply: true } }]);
  });

  it("sends text that OpenCode would truncate as a message, under the agent of the call", async () => {
    const { output, messages } = await submit(deciding({ decision: "deny", feedback: "x".repeat(50_000) }));
    expect(output).toBe("The decision is in the message that follows.");
    expect(messages[0]?.body.agent).toBe("plan");
    expect(messages[0]?.body.parts[0]?.text).toContain("x".repeat(50_000));
  });

  it("fails with the command's stderr if there is no decision", async () => {
    await expect(submit(`console.error("Port 1 in use"); process.exitCode = 3;`)).rejects.toThrow(
      /exit code 3[\s\S]*Port 1 in use/,
    );
  });

  it("starts a program whose path contains spaces, also through a shell", async () => {
    const folder = join(await temporaryFolder(), "Program Files");
    await mkdir(folder);
    const program = join(folder, "node");
    await symlink(process.execPath, program);
    const platform = Object.getOwnPropertyDescriptor(process, "platform") ?? {};
    Object.defineProperty(process, "platform", { ...platform, value: "win32" });
    onTestFinished(() => void Object.defineProperty(process, "platform", platform));
    const { output } = await submit(deciding({ decision: "approve" }), undefined, program);
    expect(output).toBe("The person approved the plan.");
  });

  it("ends the review when the call is cancelled", async () => {
    const controller = new AbortController();
    const cancelled = submit("console.error('waiting'); setInterval(() => {}, 1000);", controller.signal);
    setTimeout(() => controller.abort(), 200);
    await expect(cancelled).rejects.toThrow(/without a decision/);
  });
});
