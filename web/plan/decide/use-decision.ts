import { useState } from "react";

interface Decision {
  readonly busy: boolean;
  /** Error of the last attempt. */
  readonly error: string | undefined;
  readonly run: (send: () => Promise<string | undefined>) => Promise<void>;
}

/** Returns a function that sends one decision at a time, and the error of the last attempt. */
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
