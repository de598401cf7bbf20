// Elements that the parts of the page have in common.
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
  <span className="check">
    <input id={id} type="checkbox" checked={checked} onChange={({ target }) => onPick(target.checked)} />
    <label htmlFor={id}>{label}</label>
  </span>
);

/** A key, and a cell for each heading. */
export type TableRow = readonly [key: string | number, ...cells: ReactNode[]];

interface TableProps {
  readonly id: string;
  readonly head: readonly string[];
  readonly rows: readonly TableRow[];
}

/** On a phone, a heading stands before each of its cells. */
export const Table = ({ id, head, rows }: TableProps) => (
  <table id={id} className="cards">
    <thead>
      <tr>
        {head.map((text) => (
          <th key={text} scope="col">
            {text}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([key, ...cells]) => (
        <tr key={key}>
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
