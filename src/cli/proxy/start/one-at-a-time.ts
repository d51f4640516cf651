/**
 * Does something whenever it is asked to, never twice at once: what is asked for meanwhile is done once more afterwards,
 * so that nothing that was read earlier can come in force behind something newer. `act` must not reject.
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
