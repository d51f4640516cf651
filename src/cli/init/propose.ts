import type { InitFlags, Situation } from "./situation.ts";

export type StepKind = "hook" | "keys" | "service" | "connection";

/** A step that `init` proposes. */
export interface Proposal {
  readonly id: string;
  readonly kind: StepKind;
  readonly title: string;
  /** The part of the program. With `--yes`, steps of the proxy are carried out only with `--proxy`. */
  readonly part: "review" | "proxy";
  /** The agent, for a hook or a connection. */
  readonly agent?: string;
  /** The id of the step that must be carried out first. */
  readonly needs?: string;
}

/**
 * Returns the missing steps in the order in which they are carried out. Proposes to connect an agent only if an
 * upstream has one of the agent's dialects, because an upstream of another dialect would replace the models that the
 * person has chosen. Pure.
 */
export function proposeSteps(situation: Situation, flags: Pick<InitFlags, "envFile">): readonly Proposal[] {
  const keys = proposeKeys(situation, flags);
  const service = proposeService(situation, flags, keys);
  return [
    ...situation.agents
      .filter(({ hook }) => hook === "absent" || hook === "outdated")
      .map(
        ({ id, name, hook }): Proposal => ({
          id: `hook:${id}`,
          kind: "hook",
          title: hook === "outdated" ? `Update the hook of ${name}` : `Review the plans of ${name}`,
          part: "review",
          agent: id,
        }),
      ),
    ...keys,
    ...service,
    ...proposeConnections(situation, service),
  ];
}

/** Proposes to store the keys of this shell in the keychain, because a service does not have the shell's variables. */
function proposeKeys(
  { configuration, keychain, upstreams }: Situation,
  { envFile }: Pick<InitFlags, "envFile">,
): readonly Proposal[] {
  const variables = listVariables(upstreams);
  if (configuration.exists || !keychain || envFile !== undefined || variables.length === 0) return [];
  const title = `Store ${variables.join(", ")} in the keychain, and refer to it in ${configuration.path}`;
  return [{ id: "keys", kind: "keys", title, part: "proxy" }];
}

function proposeService(
  { upstreams, proxy }: Situation,
  { envFile }: Pick<InitFlags, "envFile">,
  keys: readonly Proposal[],
): readonly Proposal[] {
  if (upstreams.length === 0 || proxy.running || proxy.service !== "absent") return [];
  const hasKeys = envFile !== undefined || keys.length > 0 || listVariables(upstreams).length === 0;
  if (!hasKeys) return [];
  const title = "Run the proxy as a service";
  const step = { id: "service", kind: "service", title, part: "proxy" } as const;
  return [keys.length > 0 ? { ...step, needs: "keys" } : step];
}

function proposeConnections(
  { agents, upstreams, proxy }: Situation,
  service: readonly Proposal[],
): readonly Proposal[] {
  if (!proxy.running && service.length === 0) return [];
  const dialects = new Set(upstreams.map(({ dialect }) => dialect));
  return agents
    .filter(({ connected, dialects: own }) => connected === false && own.some((each) => dialects.has(each)))
    .map(({ id, name }) => ({
      id: `connection:${id}`,
      kind: "connection",
      title: `Connect ${name} to the proxy`,
      part: "proxy",
      agent: id,
      ...(service.length > 0 ? { needs: "service" } : {}),
    }));
}

/** Returns hints for the parts that no step covers. Pure. */
export function listHints(
  situation: Situation,
  flags: Pick<InitFlags, "envFile">,
  steps: readonly Proposal[],
): readonly string[] {
  const { agents, repository, configuration, upstreams, proxy } = situation;
  const variables = listVariables(upstreams);
  const canServe = proxy.running || proxy.service === "installed";
  const isWithoutService = upstreams.length > 0 && !canServe && !steps.some(({ kind }) => kind === "service");
  const runnable = agents.find(({ dialects }) => dialects.length > 0);
  return [
    ...(agents.length === 0
      ? ["No supported agent is on the PATH. To list all agents: sallyport install --list"]
      : []),
    ...agents
      .filter(({ hook }) => hook === "unreadable")
      .map(
        ({ id, name }) =>
          `The settings of ${name} cannot be read. To see the reason: sallyport install ${id}`,
      ),
    ...(configuration.problem === null ? [] : [`Correct the configuration: ${configuration.problem}`]),
    ...(isWithoutService && proxy.service === "absent" && variables.length > 0 && flags.envFile === undefined
      ? [
          `A service does not inherit these variables of this shell: ${variables.join(", ")}. Write them to a file, then: sallyport init --env-file FILE`,
        ]
      : []),
    ...(isWithoutService && runnable
      ? [`Use the proxy with one agent, without changing settings: sallyport run ${runnable.id}`]
      : []),
    ...(repository === null ? [] : [`Review the changes of ${repository}: sallyport review code`]),
    "Check the result: sallyport doctor",
  ];
}

function listVariables(upstreams: Situation["upstreams"]): readonly string[] {
  return [...new Set(upstreams.flatMap(({ variable }) => variable ?? []))];
}
