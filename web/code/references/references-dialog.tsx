import "../styles/references.css";
import { useEffect, useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { DiffReference, DiffReferences } from "../../../src/review/api-types.ts";
import { explain, getJson } from "../../shared/api/client.ts";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import type { DiffController } from "../diff/controller.ts";
import { goToNewLine } from "../diff/go-to-line.ts";
import { openReferences } from "../state/references.ts";
import { useSession } from "../state/session.ts";

interface ReferencesDialogProps {
  readonly controller: DiffController;
  readonly name: string;
}

/** Renders lists of the lines of changed files on which a name is declared or used. */
export function ReferencesDialog({ controller, name }: ReferencesDialogProps) {
  const { found, error } = useFound(name);
  const references = found?.references ?? [];
  const declared = references.filter(({ declares }) => declares);
  const used = references.filter(({ declares }) => !declares);
  const go = ({ path, line }: DiffReference) => {
    openReferences(undefined);
    // Moves the cursor after the dialog has restored the focus.
    setTimeout(() => void goToNewLine(controller, path, line));
  };
  return (
    <Dialog
      title={`${withDeceptionsShown(name)} in this diff`}
      wide
      onClose={() => openReferences(undefined)}
    >
      <ErrorLine error={error} />
      {!found && error === undefined && (
        <p className="hint" role="status">
          Reading the changed files …
        </p>
      )}
      {found && references.length === 0 && (
        <p className="hint" role="status">
          No references found. The changed files do not contain this name outside of comments and strings, or
          Sallyport has no grammar for their language.
        </p>
      )}
      <References title="Declared" references={declared} name={name} onChoose={go} />
      <References title="Used" references={used} name={name} onChoose={go} />
      {found !== undefined && found.more > 0 && <p className="hint">Not listed: {found.more} more.</p>}
    </Dialog>
  );
}

function useFound(name: string): { readonly found?: DiffReferences; readonly error?: string } {
  const [state, setState] = useState<{ found?: DiffReferences; error?: string }>({});
  useEffect(() => {
    let isCurrent = true;
    const { diffQuery } = useSession.getState();
    void getJson<DiffReferences>(`/api/diff/references?name=${encodeURIComponent(name)}&${diffQuery}`).then(
      (result) => {
        if (isCurrent) setState(result.ok ? { found: result.value } : { error: explain(result) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  return state;
}

interface ReferencesProps {
  readonly title: string;
  readonly references: readonly DiffReference[];
  readonly name: string;
  readonly onChoose: (reference: DiffReference) => void;
}

function References({ title, references, name, onChoose }: ReferencesProps) {
  if (references.length === 0) return null;
  return (
    <section>
      <h3 className="references-title">
        {title} ({references.length})
      </h3>
      <ul className="references">
        {references.map((reference) => {
          const { path, line, column, text } = reference;
          return (
            <li key={`${path} ${line} ${column}`}>
              <button type="button" className="reference" onClick={() => onChoose(reference)}>
                <span className="reference-line">
                  {withDeceptionsShown(path)}:{line}
                </span>
                <code>
                  <Marked text={text} name={name} />
                </code>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Marked({ text, name }: { readonly text: string; readonly name: string }) {
  const at = text.indexOf(name);
  if (at < 0) return withDeceptionsShown(text);
  return (
    <>
      {withDeceptionsShown(text.slice(0, at))}
      <mark>{withDeceptionsShown(name)}</mark>
      {withDeceptionsShown(text.slice(at + name.length))}
    </>
  );
}
