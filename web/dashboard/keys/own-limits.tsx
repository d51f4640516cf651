import type { OwnLimitsView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";
import { QueryState } from "../parts/query-state.tsx";
import { Section } from "../parts/section.tsx";
import { LimitsLeft } from "./limits.tsx";

const REFRESH_MS = 10_000;

/** Renders the remaining limits of the key with which the person has signed in, and those of its team. */
export function LimitsView() {
  const { api, key } = useSession();
  const query = useQuery("limits", (signal) => api.get<OwnLimitsView>("/limits", {}, signal), REFRESH_MS);
  return (
    <main>
      <QueryState query={query} what="the limits">
        {({ key: own, team }) => (
          <>
            <Section id="own-limits" heading={`Limits of the key ${key.name}`}>
              {Object.keys(key.limits).length === 0 ? (
                <p className="nothing">This key has no limits.</p>
              ) : (
                <LimitsLeft limits={own} />
              )}
              <p className="hint">Models: {key.models?.join(", ") ?? "all"}</p>
            </Section>
            {key.team !== null && (
              <Section id="team-limits" heading={`Limits of the team ${key.team}`}>
                {team === null ? (
                  <p className="nothing">This team has no limits.</p>
                ) : (
                  <LimitsLeft limits={team} />
                )}
              </Section>
            )}
          </>
        )}
      </QueryState>
    </main>
  );
}
