import { lazy, Suspense, useEffect } from "react";
import { AskHost } from "../shared/ask/ask-host.tsx";
import { Region } from "../shared/components/error-boundary.tsx";
import type { Shortcut } from "../shared/keyboard/shortcuts.ts";
import { useThreads } from "../shared/threads/thread-store.ts";
import { ApproveDialog } from "./dialogs/approve-dialog.tsx";
import { SendDialog } from "./dialogs/send-dialog.tsx";
import type { DiffController } from "./diff/controller.ts";
import { usePreview } from "./preview/preview-store.ts";
import { collectComments, keepSent, showFinished } from "./state/live.ts";
import { useReferences } from "./state/references.ts";
import { useSession } from "./state/session.ts";
import { showWhole } from "./state/since.ts";
import { openDialog, useView } from "./state/view.ts";

const CompareDialog = lazy(() =>
  import("./dialogs/compare-dialog.tsx").then((module) => ({ default: module.CompareDialog })),
);
const ShortcutSheet = lazy(() =>
  import("../shared/keyboard/shortcut-sheet.tsx").then((module) => ({ default: module.ShortcutSheet })),
);
const Palette = lazy(() => import("./dialogs/palette.tsx").then((module) => ({ default: module.Palette })));
const RoundsDialog = lazy(() =>
  import("./dialogs/rounds-dialog.tsx").then((module) => ({ default: module.RoundsDialog })),
);
const shareDialogs = () => import("./share/share-dialogs.tsx");
const ShareDialog = lazy(() => shareDialogs().then((module) => ({ default: module.ShareDialog })));
const ImportDialog = lazy(() => shareDialogs().then((module) => ({ default: module.ImportDialog })));
const PullDialog = lazy(() =>
  import("./pull/pull-dialogs.tsx").then((module) => ({ default: module.PullDialog })),
);
const LiveDialog = lazy(() =>
  import("../shared/threads/batch-dialogs.tsx").then((module) => ({ default: module.LiveDialog })),
);
const PreviewDialog = lazy(() =>
  import("./preview/preview-dialog.tsx").then((module) => ({ default: module.PreviewDialog })),
);
const ReferencesDialog = lazy(() =>
  import("./references/references-dialog.tsx").then((module) => ({ default: module.ReferencesDialog })),
);

interface DialogsProps {
  readonly controller: DiffController;
  readonly shortcuts: readonly Shortcut[];
}

/** Renders the open dialogs. Each one is loaded when it is first opened. */
export function Dialogs({ controller, shortcuts }: DialogsProps) {
  return (
    <>
      <OpenDialog controller={controller} shortcuts={shortcuts} />
      <AskHost />
      <OpenPreview />
      <OpenReferences controller={controller} />
    </>
  );
}

function OpenDialog({ controller, shortcuts }: DialogsProps) {
  const dialog = useView((view) => view.dialog);
  const isLive = useThreads(({ live }) => live !== undefined);
  const isPull = useSession(({ index }) => index?.source === "pr");
  const isDecision = dialog === "send" || dialog === "approve";
  const since = useSession((session) => session.since);
  // Comments are sent with their lines in the whole diff.
  if (since !== undefined && (isDecision || dialog === "post")) return <LeaveSince />;
  if (isPull && (dialog === "post" || (isDecision && !isLive)))
    return (
      <Suspense fallback={null}>
        <PullDialog kind={dialog === "approve" ? "done" : "post"} />
      </Suspense>
    );
  if (isLive && (dialog === "send" || dialog === "approve"))
    return (
      <Suspense fallback={null}>
        <LiveDialog
          kind={dialog === "send" ? "send" : "finish"}
          collect={collectComments}
          onClose={() => openDialog("none")}
          onSent={keepSent}
          onFinished={showFinished}
        />
      </Suspense>
    );
  switch (dialog) {
    case "send":
      return <SendDialog />;
    case "approve":
      return <ApproveDialog />;
    case "none":
      return null;
    default:
      return (
        <Region name="This dialog">
          <Suspense fallback={null}>
            {dialog === "compare" && <CompareDialog />}
            {dialog === "palette" && <Palette controller={controller} commands={shortcuts} />}
            {dialog === "rounds" && <RoundsDialog controller={controller} />}
            {dialog === "share" && <ShareDialog />}
            {dialog === "import" && <ImportDialog />}
            {dialog === "help" && <ShortcutSheet shortcuts={shortcuts} onClose={() => openDialog("none")} />}
          </Suspense>
        </Region>
      );
  }
}

function OpenPreview() {
  const file = usePreview((state) => state.file);
  if (!file) return null;
  return (
    <Region name="The preview">
      <Suspense fallback={null}>
        <PreviewDialog file={file} />
      </Suspense>
    </Region>
  );
}

function OpenReferences({ controller }: { readonly controller: DiffController }) {
  const name = useReferences((state) => state.name);
  if (name === undefined) return null;
  return (
    <Region name="The references">
      <Suspense fallback={null}>
        <ReferencesDialog key={name} controller={controller} name={name} />
      </Suspense>
    </Region>
  );
}

/** Shows the whole diff before a dialog that needs it. */
function LeaveSince() {
  useEffect(() => {
    void showWhole().then((isShown) => isShown || openDialog("none"));
  }, []);
  return null;
}
