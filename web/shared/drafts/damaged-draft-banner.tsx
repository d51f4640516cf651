import { Button } from "../components/button.tsx";

/**
 * Reports a draft that could not be read. `subject` is "this plan" or "this review", and `file` is the path of the
 * damaged file.
 */
export function DamagedDraftBanner({
  subject,
  file,
  onDismiss,
}: {
  readonly subject: string;
  readonly file: string;
  readonly onDismiss: () => void;
}) {
  return (
    <div className="banner banner-warning" role="alert">
      <span>
        Cannot read the saved comments on {subject}. The damaged file is kept at <code>{file}</code>.
      </span>
      <Button small variant="quiet" onClick={onDismiss}>
        Dismiss
      </Button>
    </div>
  );
}
