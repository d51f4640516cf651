import { thousands } from "../core/count.ts";
import { showWholeLine } from "../state/view.ts";

interface LongLineButtonProps {
  /** As of `wholeLineKey`. */
  readonly lineKey: string;
  /** UTF-16 units that are left out. */
  readonly hidden: number;
}

/** Stands where a long line is cut. */
export function LongLineButton({ lineKey, hidden }: LongLineButtonProps) {
  return (
    <button type="button" className="long-line" onClick={() => showWholeLine(lineKey)}>
      … show {thousands(hidden)} more characters
    </button>
  );
}
