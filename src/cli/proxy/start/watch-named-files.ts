import { resolve } from "node:path";
import type { ProxySettings } from "../../../config/proxy/schema.ts";
import { tlsFiles } from "../../../config/proxy/tls.ts";
import { secretSources, shortestTtl } from "../../../config/secret-sources.ts";
import { fileState, onFileChange } from "./watch-file.ts";

/** Watches the files that a configuration names: secrets, the certificate and model data. */
export interface NamedFiles {
  /** Watches the files that these settings name, and stops watching all others. */
  watch(settings: ProxySettings): void;
  end(): void;
}

/**
 * Creates a watcher that calls `reload` when a file changes and `update` when a secret's time to live has passed.
 * Relative paths of the certificate and of model data are resolved against `folder`, those of secrets against the
 * working directory.
 */
export function watchNamedFiles(folder: string, reload: () => void, update: () => void): NamedFiles {
  let watched = "";
  let ends: readonly (() => void)[] = [];
  const end = () => {
    for (const stop of ends) stop();
  };
  return {
    watch(settings) {
      const files = [
        ...secretSources(settings).flatMap((source) => ("file" in source ? source.file : [])),
        ...tlsFiles(settings.tls, folder),
        ...(settings.model_data?.file === undefined ? [] : [resolve(folder, settings.model_data.file)]),
      ];
      const ttl = shortestTtl(settings);
      // Replacing an unchanged set of watchers would miss a change between the reading of a file and now.
      const wanted = JSON.stringify([files, ttl]);
      if (wanted === watched) return;
      watched = wanted;
      end();
      ends = files.map((file) => onFileChange(file, fileState(file), reload));
      if (ttl === undefined) return;
      const timer = setInterval(update, ttl * 1000).unref();
      ends = [...ends, () => clearInterval(timer)];
    },
    end,
  };
}
