import { thousands } from "../core/count.ts";
import { useView } from "../state/view.ts";

interface LongLineButtonProps {
  readonly path: string;
  readonly line: number;
  /** UTF-16 units that are left out. */
  readonly hidden: number;
}

/** Stands where a long line is cut. */
export function LongLineButton({ path, line, hidden }: LongLineButtonProps) {
  const show = () =>
    useView.setState(({ wholeLines }) => ({ wholeLines: new Set([...wholeLines, `${path}:${line}`]) }));
  return (
    <button type="button" className="long-line" onClick={show}>
      … show {thousands(hidden)} more characters
    </button>
  );
}
