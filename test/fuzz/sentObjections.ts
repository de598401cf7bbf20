import { initialUnits } from '../../lib/item/account.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';

/** Whether a member of an answer is what a body has asked for. */
type Check = (sent: unknown, data: JsonObject, name: string) => boolean;

const same: Check = (sent, data, name) => data[name] === sent;

/** Half a unit of the last decimal off at most, but for what is rounded down so that it stays within its bound. */
const isNear = (sent: unknown, shown: unknown, decimals: number, max: number): boolean => {
  const unit = 10 ** -decimals;
  const slack = max * Number.EPSILON;
  const distance = Math.abs(Number(sent) - Number(shown));
  return distance <= unit / 2 + slack || (Number(shown) + unit > max - slack && distance < unit);
};

const amount =
  (max: number, decimals: number): Check =>
  (sent, data, name) =>
    isNear(sent, data[name], decimals, max);

const code: Check = (sent, data, name) =>
  data[name] ===
  (String(sent ?? '')
    .trim()
    .normalize('NFC') || null);

/** The unit of an answer is the one that was sent, or that the item has kept. */
const quantity: Check = (sent, { qty, unit }) => isNear(sent, qty, initialUnits.get(String(unit)) ?? 0, limits.qty.max);

/** Fields whose value in an answer follows from the request alone. Custom fields do not: they are merged. */
const checks: Readonly<Record<string, Check>> = {
  name: same,
  type: same,
  category: same,
  value: amount(limits.value.max, 4),
  qty: quantity,
  unit: same,
  description: same,
  active: (sent, data) => data['active'] === Boolean(sent),
  cost: amount(limits.cost.max, 4),
  tax: amount(limits.tax.max, 6),
  sku: code,
  pn: code,
  tag: same,
};

/** The members of an answer that are another than its request has asked for; without a body in the event there are none. */
export function sentObjections(event: unknown, data: JsonObject): string[] {
  const { body, isBase64Encoded } = event as { body?: unknown; isBase64Encoded?: unknown };
  if (typeof body !== 'string') return [];
  const sent: JsonObject = JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
  return Object.entries(checks)
    .filter(([name]) => Object.hasOwn(sent, name) && Object.hasOwn(data, name))
    .filter(([name, isAsAsked]) => !isAsAsked(sent[name], data, name))
    .map(([name]) => `${name} was sent as ${JSON.stringify(sent[name])?.slice(0, 200)}, and is not`);
}
