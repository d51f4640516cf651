import { type ReactNode, useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { ApiError } from "../data/api.ts";

interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onClose: () => void;
  /** Submits the form. Errors are shown in the dialog. */
  readonly onSubmit: () => Promise<void>;
  readonly children: ReactNode;
}

/** Renders a form in a dialog, which stays open with the error if the request fails. */
export function FormDialog({
  title,
  action,
  isDanger = false,
  onClose,
  onSubmit,
  children,
}: FormDialogProps) {
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (caught) {
      setError(caught instanceof ApiError ? caught.message : String(caught));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children}
        <ErrorLine error={error} />
        <p className="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={isDanger ? "danger" : "primary"} disabled={isBusy}>
            {action}
          </Button>
        </p>
      </form>
    </Dialog>
  );
}

/** Renders the field of a key's or team's name, which gets the focus first. */
export function NameField({
  name,
  onChange,
}: {
  readonly name: string;
  readonly onChange: (name: string) => void;
}) {
  return (
    <label className="field">
      <span>Name</span>
      <input
        className="input"
        data-initial-focus
        required
        maxLength={128}
        value={name}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
