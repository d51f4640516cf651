import { useCallback, useMemo } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { Shortcut } from "../../shared/keyboard/shortcuts.ts";
import { Palette } from "../../shared/palette/palette.tsx";
import { type PaletteGroup, reviewEntries, shortcutEntries } from "../../shared/palette/palette-entries.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import type { DiffController } from "../diff/controller.ts";
import { goToFile } from "../moving.ts";
import { useSession } from "../state/session.ts";
import { isViewed, openDialog, useView } from "../state/view.ts";
import { keylessCommands } from "./keyless-commands.ts";
import { type FoundGroup, paletteGroups } from "./palette-entries.ts";

interface CodePaletteProps {
  readonly controller: DiffController;
  readonly commands: readonly Shortcut[];
}

/** Renders the palette of files and commands. */
export function CodePalette({ controller, commands }: CodePaletteProps) {
  const content = useContent(commands);
  const find = useCallback(
    (text: string) => paletteGroups(text, content).map((group) => withFiles(group, controller)),
    [content, controller],
  );
  return (
    <Palette
      title="Files and commands"
      fieldLabel="File or command"
      placeholder="Type a part of a path or a command"
      emptyText="No matching files or commands."
      find={find}
      onClose={() => openDialog("none")}
    />
  );
}

/** Returns the contents of the palette, with the unviewed files first. */
function useContent(commands: readonly Shortcut[]) {
  const session = useSession();
  const view = useView();
  const reviews = useThreads((threads) => threads.reviews);
  return useMemo(() => {
    const viewed = session.files.filter((file) => isViewed(view, file));
    const others = session.files.filter((file) => !isViewed(view, file));
    const { actions, moves } = shortcutEntries(commands);
    return {
      files: [...others, ...viewed],
      actions: [...keylessCommands(session, view), ...actions],
      moves,
      reviews: reviewEntries(reviews),
    };
  }, [commands, session, view, reviews]);
}

function withFiles({ name, files, commands }: FoundGroup, controller: DiffController): PaletteGroup {
  const ofFiles = files.map(({ path }) => ({
    id: `file ${path}`,
    label: withDeceptionsShown(path),
    run: () => goToFile(controller, path),
  }));
  return { name, entries: [...ofFiles, ...commands] };
}
