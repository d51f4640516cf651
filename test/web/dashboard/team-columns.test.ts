import { describe, expect, it } from "vitest";
import type { KeyView, TeamView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { teamColumns } from "../../../web/dashboard/keys/columns.tsx";

const key = (team: string, revoked_at: string | null = null) => ({ team, revoked_at }) as KeyView;

function keysOf(team: string, keys: readonly KeyView[] | undefined) {
  const column = teamColumns(keys, () => {}).find(({ head }) => head === "Keys");
  return column?.cell({ name: team } as TeamView);
}

describe("the number of keys in the table of teams", () => {
  it("includes the revoked keys, which prevent the team's deletion", () => {
    const keys = [key("search"), key("search"), key("search", "2026-11-01T00:00:00Z"), key("other")];
    expect(keysOf("search", keys)).toBe("2 (1 revoked)");
    expect(keysOf("old", [...keys, key("old", "2026-11-01T00:00:00Z")])).toBe("0 (1 revoked)");
    expect(keysOf("other", keys)).toBe("1");
  });

  it("is empty until the keys are loaded", () => {
    expect(keysOf("search", undefined)).toBeUndefined();
  });
});
