/** Runs a task once all that were given before it have ended, however they ended. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** A queue for whatever reads a file, changes what it read, and writes it back: two at once would undo each other. */
export function createQueue(): InTurn {
  let queue: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = queue.then(task, task);
    queue = result.catch(() => {});
    return result;
  };
}
