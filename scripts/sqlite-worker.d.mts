export function bundleSqliteWorker(folder: string, plugins?: readonly unknown[]): Promise<void>;
