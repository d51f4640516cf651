import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { activate } from "../../../extensions/vscode/src/extension.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The editor as the extension calls it: its folders, and what it has shown and registered. */
const editor = vi.hoisted(() => ({
  folders: [] as string[],
  dataDirectory: "",
  picks: 0,
  errors: [] as string[],
  commands: new Map<string, () => Promise<void>>(),
}));

vi.mock("vscode", () => {
  const disposable = { dispose() {} };
  return {
    StatusBarAlignment: { Left: 1 },
    comments: { createCommentController: () => disposable },
    commands: {
      registerCommand(name: string, run: () => Promise<void>) {
        editor.commands.set(name, run);
        return disposable;
      },
    },
    workspace: {
      get workspaceFolders() {
        return editor.folders.map((fsPath) => ({ uri: { fsPath } }));
      },
      getConfiguration: () => ({
        get: (name: string, fallback: string) => (name === "dataDirectory" ? editor.dataDirectory : fallback),
      }),
    },
    window: {
      activeTextEditor: undefined,
      createStatusBarItem: () => ({ ...disposable, show() {}, hide() {} }),
      async showWorkspaceFolderPick() {
        editor.picks += 1;
        return undefined;
      },
      showErrorMessage: (text: string) => editor.errors.push(text),
    },
  };
});

beforeEach(async () => {
  Object.assign(editor, { picks: 0, errors: [], dataDirectory: await temporaryFolder() });
  const subscriptions: { dispose(): void }[] = [];
  activate({ subscriptions } as never);
  onTestFinished(() => {
    for (const each of subscriptions) each.dispose();
  });
});

describe("the command that reviews the changes of a folder", () => {
  it("does nothing if the person closes the choice of the folder", async () => {
    editor.folders = ["/work/one", "/work/two"];
    await editor.commands.get("sallyport.reviewChanges")?.();
    expect([editor.picks, editor.errors]).toEqual([1, []]);
  });

  it("reports that no folder is open", async () => {
    editor.folders = [];
    await editor.commands.get("sallyport.reviewChanges")?.();
    expect(editor.picks).toBe(0);
    expect(editor.errors).toEqual(["Sallyport: No folder is open. Open a folder with a git repository."]);
  });
});
