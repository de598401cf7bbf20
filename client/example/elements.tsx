// What the parts of the page have in common: elements, and how it writes counts, times and values.
import type { ComponentProps, ReactNode } from 'react';

export const Button = ({ text, ...rest }: ComponentProps<'button'> & { text: string }) => (
  <button type="button" {...rest}>
    {text}
  </button>
);

type SelectProps = Omit<ComponentProps<'select'>, 'onChange'> & {
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onPick: (value: string) => void;
};

export const Select = ({ options, onPick, ...rest }: SelectProps) => (
  <select {...rest} onChange={({ target }) => onPick(target.value)}>
    {options.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);

type CheckboxProps = {
  readonly id: string;
  readonly label: string;
  readonly checked: boolean;
  readonly onPick: (checked: boolean) => void;
};

export const Checkbox = ({ id, label, checked, onPick }: CheckboxProps) => (
  <>
    <input id={id} type="checkbox" checked={checked} onChange={({ target }) => onPick(target.checked)} />
    <label htmlFor={id}>{label}</label>
  </>
);

interface TableProps {
  readonly id: string;
  readonly head: readonly string[];
  /** Each with a cell for each heading. The first cells tell the rows apart. */
  readonly rows: readonly (readonly ReactNode[])[];
}

/** On a phone, a heading stands before each of its cells. */
export const Table = ({ id, head, rows }: TableProps) => (
  <table id={id}>
    <thead>
      <tr>
        {head.map((text) => (
          <th key={text}>{text}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells) => (
        <tr key={`${cells[0]} ${cells[1]}`}>
          {cells.map((cell, index) => (
            <td key={head[index]} data-label={head[index]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** What a form does instead of loading a page. */
export const submits = (act: () => void) => (event: { preventDefault(): void }) => {
  event.preventDefault();
  act();
};

export const labels = {
  ...{ name: 'Name', type: 'Type', category: 'Category', unit: 'Unit', value: 'Price', qty: 'Quantity', tax: 'Tax' },
  ...{ cost: 'Cost', sku: 'SKU', pn: 'Part number', tag: 'Tags', description: 'Description' },
};

export const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

/** In the user's time zone, with its name. */
export const localTime = (time: string | Date) =>
  new Date(time).toLocaleString(undefined, {
    ...{ year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  });

export const written = (amount: number) =>
  amount.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 6 });

export const quoted = (value: unknown): string => (value === null ? 'nothing' : (JSON.stringify(value) ?? '…'));
