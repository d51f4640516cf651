import { Button } from "./button.tsx";

/** Offers an edit of the feedback that is not shown. */
export function EarlierEdit({ onUse }: { readonly onUse: () => void }) {
  return (
    <p className="earlier-edit">
      You have an earlier edit of this text.
      <Button small onClick={onUse}>
        Use my edited text
      </Button>
    </p>
  );
}
