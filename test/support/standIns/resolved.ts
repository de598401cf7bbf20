interface Placed {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
}

/** A read or write whose expressions have names, and values as JSON, instead of placeholders. */
export function resolved<Input extends Placed>({
  ExpressionAttributeNames: names = {},
  ExpressionAttributeValues: values = {},
  ...rest
}: Input) {
  const replaced = (text: string) =>
    text
      .replace(/#\d+/g, (placeholder) => names[placeholder] ?? '?')
      .replace(/:\d+/g, (placeholder) => JSON.stringify(values[placeholder] ?? null));
  const members = Object.entries(rest).map(([name, member]) => [
    name,
    name.endsWith('Expression') ? replaced(String(member)) : member,
  ]);
  return Object.fromEntries(members);
}
