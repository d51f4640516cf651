/** Runs a task once all earlier tasks have ended, whether they succeeded or not. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Returns a queue for read-modify-write operations, which would overwrite each other's results if they ran at once. */
export function createQueue(): InTurn {
  let queue: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = queue.then(task, task);
    queue = result.catch(() => {});
    return result;
  };
}
