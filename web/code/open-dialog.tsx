import { useEffect } from "react";
import { AskHost } from "../shared/ask/ask-host.tsx";
import { Region } from "../shared/components/error-boundary.tsx";
import { later, WaitingDialog } from "../shared/components/later.tsx";
import type { Shortcut } from "../shared/keyboard/shortcuts.ts";
import { useThreads } from "../shared/threads/thread-store.ts";
import type { DiffController } from "./diff/controller.ts";
import { openPreview, usePreview } from "./preview/preview-store.ts";
import { collectComments, keepSent, showFinished, showRound } from "./state/live.ts";
import { openReferences, useReferences } from "./state/references.ts";
import { useSession } from "./state/session.ts";
import { showWhole } from "./state/since.ts";
import { type DialogName, openDialog, useView } from "./state/view.ts";

const SendDialog = later(async () => (await import("./dialogs/send-dialog.tsx")).SendDialog);
const ApproveDialog = later(async () => (await import("./dialogs/approve-dialog.tsx")).ApproveDialog);
const CodePalette = later(async () => (await import("./dialogs/code-palette.tsx")).CodePalette);
const ShortcutSheet = later(
  async () => (await import("../shared/keyboard/shortcut-sheet.tsx")).ShortcutSheet,
);
const CompareDialog = later(async () => (await import("./dialogs/compare-dialog.tsx")).CompareDialog);
const RoundsDialog = later(async () => (await import("./dialogs/rounds-dialog.tsx")).RoundsDialog);
const shareDialogs = () => import("./share/share-dialogs.tsx");
const ShareDialog = later(async () => (await shareDialogs()).ShareDialog);
const ImportDialog = later(async () => (await shareDialogs()).ImportDialog);
const PullDialog = later(async () => (await import("./pull/pull-dialogs.tsx")).PullDialog);
const LiveDialog = later(async () => (await import("../shared/threads/batch-dialogs.tsx")).LiveDialog);
const PreviewDialog = later(async () => (await import("./preview/preview-dialog.tsx")).PreviewDialog);
const ReferencesDialog = later(
  async () => (await import("./references/references-dialog.tsx")).ReferencesDialog,
);

const close = () => openDialog("none");

interface DialogsProps {
  readonly controller: DiffController;
  readonly shortcuts: readonly Shortcut[];
}

/**
 * Renders the open dialogs. Their code is loaded when the browser is idle, or when a dialog is first opened.
 */
export function Dialogs(props: DialogsProps) {
  return (
    <>
      <OpenDialog {...props} />
      <AskHost />
      <OpenPreview />
      <OpenReferences controller={props.controller} />
    </>
  );
}

function OpenDialog(props: DialogsProps) {
  const dialog = useView((view) => view.dialog);
  const isLive = useThreads(({ live }) => live !== undefined);
  const isPull = useSession(({ index }) => index?.source === "pr");
  const isDecision = dialog === "send" || dialog === "approve";
  const since = useSession((session) => session.since);
  // Comments are sent with their lines in the whole diff.
  if (since !== undefined && (isDecision || dialog === "post")) return <LeaveSince />;
  if (dialog === "none") return null;
  return (
    <Region key={dialog} name="This dialog">
      <NamedDialog dialog={dialog} isLive={isLive} isPull={isPull} {...props} />
    </Region>
  );
}

interface NamedDialogProps extends DialogsProps {
  readonly dialog: Exclude<DialogName, "none">;
  readonly isLive: boolean;
  readonly isPull: boolean;
}

function NamedDialog({ dialog, isLive, isPull, controller, shortcuts }: NamedDialogProps) {
  const fallback = <WaitingDialog onClose={close} />;
  const round = useSession(({ index }) => index?.live?.round ?? 1);
  const isDecision = dialog === "send" || dialog === "approve";
  if (dialog === "post" || (isPull && isDecision && !isLive))
    return <PullDialog fallback={fallback} kind={dialog === "approve" ? "done" : "post"} />;
  if (isLive && isDecision)
    return (
      <LiveDialog
        fallback={fallback}
        kind={dialog === "send" ? "send" : "finish"}
        round={round}
        collect={collectComments}
        showRound={showRound}
        onClose={close}
        onSent={keepSent}
        onFinished={showFinished}
      />
    );
  switch (dialog) {
    case "send":
      return <SendDialog fallback={fallback} />;
    case "approve":
      return <ApproveDialog fallback={fallback} />;
    case "compare":
      return <CompareDialog fallback={fallback} />;
    case "palette":
      return <CodePalette fallback={fallback} controller={controller} commands={shortcuts} />;
    case "rounds":
      return <RoundsDialog fallback={fallback} controller={controller} />;
    case "share":
      return <ShareDialog fallback={fallback} />;
    case "import":
      return <ImportDialog fallback={fallback} />;
    case "help":
      return <ShortcutSheet fallback={fallback} shortcuts={shortcuts} onClose={close} />;
  }
}

function OpenPreview() {
  const file = usePreview((state) => state.file);
  if (!file) return null;
  return (
    <Region name="The preview">
      <PreviewDialog fallback={<WaitingDialog onClose={() => openPreview(undefined)} />} file={file} />
    </Region>
  );
}

function OpenReferences({ controller }: { readonly controller: DiffController }) {
  const name = useReferences((state) => state.name);
  if (name === undefined) return null;
  return (
    <Region name="The references">
      <ReferencesDialog
        key={name}
        fallback={<WaitingDialog onClose={() => openReferences(undefined)} />}
        controller={controller}
        name={name}
      />
    </Region>
  );
}

/** Shows the whole diff before a dialog that needs it. */
function LeaveSince() {
  useEffect(() => {
    void showWhole().then((isShown) => isShown || close());
  }, []);
  return null;
}
