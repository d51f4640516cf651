import { useEffect, useState } from "react";
import type { KeyView, TeamView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import type { Api } from "../data/api.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { DataTable } from "../parts/data-table.tsx";
import { PageButton } from "../parts/pager.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";
import { keyColumns, type Open, REFRESH_MS, teamColumns } from "./columns.tsx";
import { ConfirmDialog, KeyDialog, type NewSecret, RotateDialog, SecretDialog } from "./key-dialogs.tsx";
import { TeamDialog } from "./team-dialog.tsx";

/** Number of keys on a page. Each key with limits causes another request. */
const PAGE_SIZE = 25;

/** Renders the keys and teams, their remaining limits, and the buttons that change them. */
export function KeysView() {
  const { api } = useSession();
  const [open, setOpen] = useState<Open>();
  const [search, setSearch] = useState("");
  const [withRevoked, setWithRevoked] = useState(false);
  const [page, setPage] = useState(0);
  const keys = useQuery("keys", (signal) => allKeys(api, signal), REFRESH_MS);
  const teams = useQuery("teams", async (signal) => {
    const { teams: all } = await api.get<{ teams: TeamView[] }>("/teams", { limit: 1_000 }, signal);
    return all;
  });
  const close = () => setOpen(undefined);
  const changed = (secret?: NewSecret) => {
    keys.reload();
    teams.reload();
    setOpen(secret && { kind: "secret", secret });
  };
  const [removedFrom, setRemovedFrom] = useState<"keys" | "teams">();
  const removed = (list: "keys" | "teams") => {
    changed();
    setRemovedFrom(list);
  };
  // The closed dialog has returned the focus to a button of the removed entry, which disappears.
  useEffect(() => {
    if (removedFrom === undefined) return;
    document.getElementById(`${removedFrom}-heading`)?.focus();
    setRemovedFrom(undefined);
  }, [removedFrom]);
  const wanted = search.trim().toLowerCase();
  const matching = (keys.data ?? []).filter(
    ({ name, team, revoked_at }) =>
      (withRevoked || revoked_at === null) && `${name}\n${team ?? ""}`.toLowerCase().includes(wanted),
  );
  const first = Math.min(page, Math.max(0, Math.ceil(matching.length / PAGE_SIZE) - 1)) * PAGE_SIZE;
  const shown = matching.slice(first, first + PAGE_SIZE);
  return (
    <main>
      <h2 className="visually-hidden">Keys and teams</h2>
      <Section
        id="keys"
        heading="Keys"
        badge={keys.data && matching.length}
        actions={
          <Button small variant="primary" onClick={() => setOpen({ kind: "create" })}>
            Create key
          </Button>
        }
      >
        <search className="filters">
          <label className="field-inline">
            Search
            <input
              className="input"
              type="search"
              placeholder="name or team"
              value={search}
              onChange={({ target }) => setSearch(target.value)}
            />
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={withRevoked}
              onChange={({ target }) => setWithRevoked(target.checked)}
            />{" "}
            Include revoked keys
          </label>
        </search>
        <QueryState query={keys} what="the keys">
          {() => (
            <>
              {matching.length === 0 ? (
                <p className="nothing">No matching keys. Create one for each person or program.</p>
              ) : (
                <DataTable
                  labelledBy="keys-heading"
                  columns={keyColumns(setOpen)}
                  rows={shown}
                  getKey={({ id }) => id}
                  getTone={({ revoked_at }) => (revoked_at === null ? "" : "is-left")}
                />
              )}
              {matching.length > PAGE_SIZE && (
                <nav className="pager" aria-label="Pages of keys">
                  <PageButton isEnd={first === 0} onClick={() => setPage(first / PAGE_SIZE - 1)}>
                    Previous
                  </PageButton>
                  <span className="secondary">
                    {first + 1} to {first + shown.length} of {matching.length}
                  </span>
                  <PageButton
                    isEnd={first + PAGE_SIZE >= matching.length}
                    onClick={() => setPage(first / PAGE_SIZE + 1)}
                  >
                    Next
                  </PageButton>
                </nav>
              )}
            </>
          )}
        </QueryState>
      </Section>
      <Section
        id="teams"
        heading="Teams"
        badge={teams.data?.length}
        actions={
          <Button small onClick={() => setOpen({ kind: "team" })}>
            Create team
          </Button>
        }
      >
        <QueryState query={teams} what="the teams">
          {(all) =>
            all.length === 0 ? (
              <p className="nothing">No teams. Keys of a team share its limits.</p>
            ) : (
              <DataTable
                labelledBy="teams-heading"
                columns={teamColumns(keys.data, setOpen)}
                rows={all}
                getKey={({ name }) => name}
              />
            )
          }
        </QueryState>
      </Section>
      {open && (
        <OpenDialog
          open={open}
          teams={teams.data ?? []}
          onClose={close}
          onDone={changed}
          onRemoved={removed}
        />
      )}
    </main>
  );
}

async function allKeys(api: Api, signal: AbortSignal): Promise<KeyView[]> {
  const keys: KeyView[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: { limit: number; cursor: string } = { limit: 1_000, cursor };
    const page: { keys: KeyView[]; next_cursor: string | null } = await api.get("/keys", query, signal);
    keys.push(...page.keys);
    cursor = page.next_cursor;
  }
  return keys;
}

interface OpenDialogProps {
  readonly open: Open;
  readonly teams: readonly TeamView[];
  readonly onClose: () => void;
  readonly onDone: (secret?: NewSecret) => void;
  /** Called with the list from which an entry was removed. */
  readonly onRemoved: (list: "keys" | "teams") => void;
}

function OpenDialog({ open, teams, onClose, onDone, onRemoved }: OpenDialogProps) {
  const both = { onClose, onDone };
  switch (open.kind) {
    case "create":
      return <KeyDialog teams={teams} {...both} />;
    case "change":
      return <KeyDialog existing={open.key} teams={teams} {...both} />;
    case "rotate":
      return <RotateDialog target={open.key} {...both} />;
    case "secret":
      return <SecretDialog {...open.secret} onClose={onClose} />;
    case "team":
      return <TeamDialog {...(open.team && { existing: open.team })} {...both} />;
    case "revoke":
      return (
        <ConfirmDialog
          title={`Revoke the key ${open.key.name}?`}
          action="Revoke key"
          path={`/keys/${encodeURIComponent(open.key.id)}`}
          onClose={onClose}
          onDone={() => onRemoved("keys")}
        >
          Calls with it are rejected from now on. This cannot be undone; its usage is kept.
        </ConfirmDialog>
      );
    case "delete":
      return (
        <ConfirmDialog
          title={`Delete the team ${open.team.name}?`}
          action="Delete team"
          path={`/teams/${encodeURIComponent(open.team.name)}`}
          onClose={onClose}
          onDone={() => onRemoved("teams")}
        >
          Its limits and tags are lost. A team that has keys, including revoked keys, cannot be deleted.
        </ConfirmDialog>
      );
  }
}
