import { GitCommitVertical } from "lucide-react";
import { IconButton } from "../../shared/components/button.tsx";
import { useCommits } from "../state/commits.ts";
import { useSession } from "../state/session.ts";
import { stepCommit } from "./step-commits.ts";

/** Starts to step through the commits under review. */
export function CommitsButton() {
  const count = useCommits(({ commits }) => commits.length);
  const isShown = useSession((session) => session.index?.commit !== undefined);
  if (count === 0 || isShown) return null;
  const label = count === 1 ? "Show the commit" : `Step through ${count} commits`;
  return (
    <IconButton label={label} shortcut="}" className="commits-button" onClick={() => void stepCommit(1)}>
      <GitCommitVertical size={17} aria-hidden />
    </IconButton>
  );
}
