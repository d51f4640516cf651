import { thousands } from "../core/count.ts";
import { useSession } from "../state/session.ts";
import type { Scene } from "./controller.ts";

/** On paper, above a diff that is too long for it: how much of it follows, and what prints all of it. */
export function PrintNote({ scene: { geometry, visible, printing } }: { readonly scene: Scene }) {
  const gitRef = useSession((session) => session.index?.gitRef ?? "");
  const last = visible.at(-1);
  if (!printing || !last) return null;
  const files = geometry.bodies.length;
  const isCut = last.to < (geometry.bodies[last.order]?.rows?.count ?? 0);
  if (visible.length === files && !isCut) return null;
  return (
    <p className="print-note">
      The top of the diff: {thousands(visible.length)} of {thousands(files)} files
      {isCut && ", the last one not to its end"}. All of it: git diff {gitRef}
    </p>
  );
}
