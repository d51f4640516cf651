import { useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { chooseDiff } from "../header/diff-select.tsx";
import { openDialog } from "../state/view.ts";

/** Asks for a commit or a base to compare with. */
export function CompareDialog() {
  const [kind, setKind] = useState<"commit" | "base">("commit");
  const [name, setName] = useState("");
  const show = async () => {
    if (name.trim() !== "" && (await chooseDiff(`${kind}:${name.trim()}`))) openDialog("none");
  };
  return (
    <Dialog
      title="Show another diff"
      onClose={() => openDialog("none")}
      footer={
        <>
          <Button onClick={() => openDialog("none")}>Cancel</Button>
          <Button variant="primary" disabled={name.trim() === ""} onClick={() => void show()}>
            Show
          </Button>
        </>
      }
    >
      <Segmented
        label="What to show"
        value={kind}
        onChange={setKind}
        options={[
          { value: "commit", label: "One commit" },
          { value: "base", label: "Everything since a base" },
        ]}
      />
      <label className="field">
        <span>{kind === "commit" ? "Commit" : "Base"}</span>
        <input
          className="input input-code"
          data-initial-focus
          value={name}
          placeholder={kind === "commit" ? "3f2a91c, HEAD~2 or a tag" : "a branch, tag or commit"}
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") void show();
          }}
        />
      </label>
    </Dialog>
  );
}
