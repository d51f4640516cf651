import type { KeyView, LimitsView, TeamView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock } from "../../../src/render/dashboard/amounts.ts";
import { Button } from "../../shared/components/button.tsx";
import { formatLocation } from "../data/location.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import type { Column } from "../parts/data-table.tsx";
import type { NewSecret } from "./key-dialogs.tsx";
import { LimitsLeft } from "./limits.tsx";

/** Milliseconds between two refreshes of the keys and of all remaining limits. */
export const REFRESH_MS = 15_000;

/** The open dialog. */
export type Open =
  | { readonly kind: "create" }
  | { readonly kind: "change" | "rotate" | "revoke"; readonly key: KeyView }
  | { readonly kind: "secret"; readonly secret: NewSecret }
  | { readonly kind: "team"; readonly team?: TeamView }
  | { readonly kind: "delete"; readonly team: TeamView };

/** Returns the columns of the table of keys. */
export function keyColumns(setOpen: (open: Open) => void): Column<KeyView>[] {
  const now = Date.now();
  return [
    {
      head: "Name",
      cell: ({ name }) => (
        <a href={formatLocation({ view: "calls", item: undefined, choices: { key: name } })}>{name}</a>
      ),
    },
    { head: "Team", cell: ({ team }) => team },
    { head: "Role", cell: ({ role }) => role },
    { head: "Models", cell: ({ models }) => models?.join(", ") ?? "all" },
    {
      head: "Tags",
      cell: ({ tags }) =>
        Object.entries(tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(", "),
    },
    {
      head: "Left",
      cell: ({ id, limits, revoked_at }) =>
        revoked_at === null && Object.keys(limits).length > 0 ? (
          <LoadedLimits path={`/limits/${encodeURIComponent(id)}`} />
        ) : null,
    },
    {
      head: "State",
      cell: ({ revoked_at, expires_at, source }) => {
        if (revoked_at !== null) return `revoked ${clock(revoked_at, now)}`;
        if (source === "config") return "in the configuration file";
        if (expires_at === null) return "";
        return `${Date.parse(expires_at) < now ? "expired" : "expires"} ${clock(expires_at, now)}`;
      },
    },
    {
      head: "Actions",
      cell: (key) =>
        key.source === "database" && key.revoked_at === null ? (
          <span className="row-actions">
            {(["change", "rotate", "revoke"] as const).map((kind) => (
              <Button
                key={kind}
                small
                variant={kind === "revoke" ? "danger" : "plain"}
                aria-label={`${LABELS[kind]} ${key.name}`}
                onClick={() => setOpen({ kind, key })}
              >
                {LABELS[kind]}
              </Button>
            ))}
          </span>
        ) : null,
    },
  ];
}

const LABELS = { change: "Change", rotate: "Rotate", revoke: "Revoke" } as const;

/** Returns the columns of the table of teams. `keys` is undefined until the keys are loaded. */
export function teamColumns(
  keys: readonly KeyView[] | undefined,
  setOpen: (open: Open) => void,
): Column<TeamView>[] {
  return [
    {
      head: "Name",
      cell: ({ name }) => (
        <a href={formatLocation({ view: "calls", item: undefined, choices: { team: name } })}>{name}</a>
      ),
    },
    {
      head: "Keys",
      cell: ({ name }) => keys && countKeys(keys.filter(({ team }) => team === name)),
      isFigure: true,
    },
    {
      head: "Left",
      cell: ({ name, limits }) =>
        Object.keys(limits).length > 0 ? (
          <LoadedLimits path={`/teams/${encodeURIComponent(name)}/limits`} />
        ) : (
          <span className="secondary">no limits</span>
        ),
    },
    {
      head: "Actions",
      cell: (team) => (
        <span className="row-actions">
          <Button small aria-label={`Change ${team.name}`} onClick={() => setOpen({ kind: "team", team })}>
            Change
          </Button>
          <Button
            small
            variant="danger"
            aria-label={`Delete ${team.name}`}
            onClick={() => setOpen({ kind: "delete", team })}
          >
            Delete
          </Button>
        </span>
      ),
    },
  ];
}

/** Returns the number of keys, and of revoked keys, which prevent the deletion of their team as well. */
function countKeys(keys: readonly KeyView[]): string {
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== null).length;
  const usable = String(keys.length - revoked);
  return revoked === 0 ? usable : `${usable} (${revoked} revoked)`;
}

function LoadedLimits({ path }: { readonly path: string }) {
  const { api } = useSession();
  const { data } = useQuery(path, (signal) => api.get<LimitsView>(path, {}, signal), REFRESH_MS);
  return <LimitsLeft limits={data} />;
}
