import { useState } from "react";
import type { TeamView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { useSession } from "../data/session.ts";
import { FormDialog, NameField } from "./form-dialog.tsx";
import { LimitFields, limitsFrom, newLimitsFrom, toTexts } from "./limits.tsx";
import { TagFields, type TagTexts, tagsFrom, tagTexts } from "./tags.tsx";

/** Renders the dialog that creates a team or changes its limits and tags. */
export function TeamDialog({
  existing,
  onClose,
  onDone,
}: {
  existing?: TeamView;
  onClose(): void;
  onDone(): void;
}) {
  const { api } = useSession();
  const [name, setName] = useState(existing?.name ?? "");
  const [limits, setLimits] = useState(() => toTexts(existing?.limits ?? {}));
  const [tagFields, setTagFields] = useState<readonly TagTexts[]>(() => tagTexts(existing?.tags ?? {}));
  const submit = async () => {
    const tags = tagsFrom(tagFields);
    if (existing) {
      const path = `/teams/${encodeURIComponent(existing.name)}`;
      await api.send("PATCH", path, { tags, limits: limitsFrom(limits) });
    } else await api.send("POST", "/teams", { name: name.trim(), tags, limits: newLimitsFrom(limits) });
    onDone();
  };
  return (
    <FormDialog
      title={existing ? `Change the team ${existing.name}` : "Create a team"}
      action={existing ? "Save" : "Create team"}
      onClose={onClose}
      onSubmit={submit}
    >
      {!existing && <NameField name={name} onChange={setName} />}
      <LimitFields texts={limits} onChange={setLimits} />
      <TagFields texts={tagFields} onChange={setTagFields} />
    </FormDialog>
  );
}
