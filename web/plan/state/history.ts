import type { PlanAnnotation } from "../../../src/review/api-types.ts";

type Annotations = readonly PlanAnnotation[];

const MAX_VERSIONS = 100;
/** The annotations before each change of this tab; the newest version is last. */
const versions: Annotations[] = [];

/** Stores a version of the annotations, so that a change can be undone. */
export function storeVersion(annotations: Annotations): void {
  versions.push(annotations);
  if (versions.length > MAX_VERSIONS) versions.shift();
}

/** Removes the newest version and returns it; undefined if there is none. */
export function takeVersion(): Annotations | undefined {
  return versions.pop();
}

/** Removes an annotation from all versions, because it was sent. */
export function forgetInVersions(id: string): void {
  changeVersions((version) => version.filter((annotation) => annotation.id !== id));
}

/**
 * Applies to all versions what another tab has changed, so that an undo reverts only changes of this tab. `before` and
 * `after` are the annotations before and after the merge.
 */
export function mergeIntoVersions(before: Annotations, after: Annotations): void {
  const [known, merged] = [byId(before), byId(after)];
  const added = after.filter(({ id }) => !known.has(id));
  const isChanged = ({ id }: PlanAnnotation) => known.get(id) !== merged.get(id);
  if (!after.some(isChanged) && before.every(({ id }) => merged.has(id))) return;
  changeVersions((version) => {
    const ids = byId(version);
    const changed = version.flatMap((annotation) =>
      isChanged(annotation) ? (merged.get(annotation.id) ?? []) : [annotation],
    );
    return [...changed, ...added.filter(({ id }) => !ids.has(id))];
  });
}

const byId = (annotations: Annotations) => new Map(annotations.map((each) => [each.id, each]));

function changeVersions(change: (version: Annotations) => Annotations): void {
  versions.splice(0, versions.length, ...versions.map(change));
}
