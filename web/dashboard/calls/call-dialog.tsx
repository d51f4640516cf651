import type { ReactNode } from "react";
import type { CallDetailView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock, count, dollars, duration } from "../../../src/render/dashboard/amounts.ts";
import { Dialog } from "../../shared/components/dialog.tsx";
import { formatLocation } from "../data/location.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { DataTable } from "../parts/data-table.tsx";
import { QueryState } from "../parts/query-state.tsx";
import { CapturedBodies } from "./captured-bodies.tsx";

/** An attempt in the form of the request log. */
interface Attempt {
  readonly upstream?: string;
  readonly key?: number;
  readonly status?: number;
  readonly error_code?: string;
  readonly wait_ms?: number;
  readonly ms?: number;
}

/** Shows one call: its properties, timings, tokens, cost, attempts and losses, and for admins its captured bodies. */
export function CallDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { api } = useSession();
  const query = useQuery(`call ${id}`, (signal) =>
    api.get<{ call: CallDetailView }>(`/calls/${encodeURIComponent(id)}`, {}, signal),
  );
  return (
    <Dialog title="Call" onClose={onClose} wide onlyText>
      <QueryState query={query} what="the call">
        {({ call }) => <CallDetails call={call} />}
      </QueryState>
    </Dialog>
  );
}

function CallDetails({ call }: { readonly call: CallDetailView }) {
  const attempts = call.attempt_list as readonly Attempt[];
  return (
    <>
      {call.error_code !== null && (
        <p className="notice notice-error">
          <strong>{call.error_code}</strong> {call.error_message}
        </p>
      )}
      <dl className="details">
        <Detail name="Id" value={<code>{call.id}</code>} />
        <Detail name="Time" value={<time dateTime={call.time}>{clock(call.time, 0)}</time>} />
        <Detail name="Status" value={call.status} />
        <Detail name="Route" value={<code>{call.route}</code>} />
        <Detail name="Model" value={call.model} />
        <Detail name="Upstream" value={call.upstream} />
        <Detail name="Model there" value={call.upstream_model === call.model ? null : call.upstream_model} />
        <Detail name="Key" value={call.key} />
        <Detail name="Team" value={call.team} />
        <Detail name="Tags" value={formatTags(call.tags)} />
        <Detail name="Session" value={call.session && <SessionLink session={call.session} />} />
        <Detail name="Client" value={call.client} />
        <Detail name="Dialect" value={call.client_dialect} />
        <Detail name="Kind" value={call.stream ? "stream" : "whole"} />
        <Detail name="Replica" value={call.replica} />
      </dl>
      <h3>Timings</h3>
      <dl className="details">
        <Detail name="Duration" value={duration(call.ms)} />
        <Detail name="First token" value={call.ttft_ms !== null && duration(call.ttft_ms)} />
        <Detail name="After first token" value={call.ttft_ms !== null && duration(call.ms - call.ttft_ms)} />
      </dl>
      <h3>Tokens and cost</h3>
      <dl className="details">
        <Detail name="Input" value={count(call.input_tokens)} />
        <Detail name="Read from cache" value={count(call.cache_read_tokens)} />
        <Detail name="Written to cache" value={count(call.cache_write_tokens)} />
        <Detail name="Output" value={count(call.output_tokens)} />
        <Detail name="Reasoning" value={count(call.reasoning_tokens)} />
        <Detail name="Cost" value={call.unpriced ? "no price known" : dollars(call.cost_usd)} />
      </dl>
      <h3 id="attempts-heading">Attempts</h3>
      {attempts.length === 0 ? (
        <p className="secondary">
          {call.attempts === 0 ? "None: no upstream was called." : "One, as above."}
        </p>
      ) : (
        <Attempts attempts={attempts} />
      )}
      <h3>Losses</h3>
      {call.losses.length === 0 ? (
        <p className="secondary">None: no part of the call was left out.</p>
      ) : (
        <ul className="losses">
          {call.losses.map((loss) => (
            <li key={loss}>
              <code>{loss}</code>
            </li>
          ))}
        </ul>
      )}
      <CapturedBodies captured={call.captured} />
    </>
  );
}

function Detail({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  if (value === null || value === undefined || value === "" || value === false) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function SessionLink({ session }: { readonly session: string }) {
  return <a href={formatLocation({ view: "calls", item: undefined, choices: { session } })}>{session}</a>;
}

const formatTags = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <DataTable
      labelledBy="attempts-heading"
      columns={[
        { head: "Number", cell: ({ number }) => number },
        { head: "Upstream", cell: ({ upstream }) => upstream },
        { head: "Key", cell: ({ key }) => key },
        { head: "Status", cell: ({ status }) => <span className="status">{status ?? "no response"}</span> },
        { head: "Error", cell: ({ error_code }) => error_code },
        { head: "Waited", cell: ({ wait_ms }) => wait_ms !== undefined && duration(wait_ms), isFigure: true },
        { head: "Duration", cell: ({ ms }) => duration(ms), isFigure: true },
      ]}
      rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
      getKey={({ number }) => String(number)}
      getTone={({ error_code }) => (error_code === undefined ? "" : "is-error")}
    />
  );
}
