import { describe, expect, it } from "vitest";
import type { PlanState } from "../../src/review/api-types.ts";
import { quietPort } from "../support/quiet-port.ts";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";

const REVIEW = ["review", "plan", "--no-open", "--json"];
const PLAN = { stdin: "# Plan\n" };
/** Dozens of processes start at once, which takes long on a busy machine. */
const PATIENT = { timeout: 240_000 };

describe("reviews that start at the same moment", () => {
  it(
    "on one fixed port: one listens, the others say what the specification wants and end",
    PATIENT,
    async () => {
      const port = await quietPort();
      const folder = await sandbox();
      const commands = await startMany(20, folder, [...REVIEW, "--port", String(port)]);
      const first = await Promise.any(
        commands.map(async (command) => [command, await command.url()] as const),
      );
      const [winner, url] = first;
      expect(url).toBe(`http://localhost:${port}`);
      for (const loser of commands.filter((command) => command !== winner)) {
        const { code, stdout, stderr } = await loser.ended;
        expect([code, stdout]).toEqual([3, ""]);
        expect(stderr.match(new RegExp(`^Port ${port} in use$`, "gm"))).toHaveLength(5);
        expect(stderr).toContain(`Port ${port} in use after 5 retries`);
      }
      expect(await winner.post("/api/approve", {})).toMatchObject({ status: 200 });
      expect((await winner.ended).code).toBe(0);
    },
  );

  it(
    "on any port, for one folder that prefers one: all come up, each where no other is",
    PATIENT,
    async () => {
      const folder = await sandbox();
      const commands = await startMany(50, folder, REVIEW);
      const urls = await Promise.all(commands.map((command) => command.url()));
      expect(new Set(urls).size).toBe(50);
      const sessions = await Promise.all(
        urls.map(async (url) => ((await (await fetch(`${url}/api/plan`)).json()) as PlanState).sessionId),
      );
      expect(new Set(sessions).size).toBe(50);
    },
  );
});

describe("a hundred decisions at the same moment", () => {
  it(
    "are one: its words alone are printed, and nobody else is told that theirs counted",
    PATIENT,
    async () => {
      const command = await startCommand(REVIEW, PLAN);
      await command.url();
      const responses = await Promise.all(
        Array.from({ length: 100 }, async (_, number) => {
          const feedback = `No, says ${number}.`;
          // Clients that connect while the server closes are not served.
          const response = await command.post("/api/deny", { feedback }).catch(() => undefined);
          return { feedback, ...response };
        }),
      );
      const winners = responses.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const { status, body } of responses) {
        if (status === undefined || status === 200) continue;
        expect([status, body]).toEqual([409, { error: "Already decided" }]);
      }
      const { code, stdout } = await command.ended;
      expect([code, JSON.parse(stdout).feedback]).toEqual([0, winners[0]?.feedback]);
    },
  );
});

function startMany(count: number, folder: string, args: readonly string[]): Promise<SpawnedCommand[]> {
  return Promise.all(Array.from({ length: count }, () => startCommand(args, { ...PLAN, folder })));
}
