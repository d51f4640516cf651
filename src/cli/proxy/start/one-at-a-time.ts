/**
 * Returns a function that runs `act`, never twice at once. Calls during a run cause one more run after it, so that an
 * older result cannot replace a newer one. `act` must not reject.
 */
export function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  const actUntilAskedNoMore = async () => {
    do {
      isAskedAgain = false;
      await act();
    } while (isAskedAgain);
    running = undefined;
  };
  return () => {
    if (running) isAskedAgain = true;
    running ??= actUntilAskedNoMore();
    return running;
  };
}
