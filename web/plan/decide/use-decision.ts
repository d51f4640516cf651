import { useState } from "react";

interface Decision {
  readonly busy: boolean;
  /** Why the last try failed. */
  readonly error: string | undefined;
  readonly run: (send: () => Promise<string | undefined>) => Promise<void>;
}

/** Sends a decision once, however often the button is pressed, and keeps what went wrong. */
export function useDecision(): Decision {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  return {
    busy,
    error,
    async run(send) {
      if (busy) return;
      setBusy(true);
      setError(undefined);
      const failure = await send();
      setBusy(false);
      setError(failure);
    },
  };
}
