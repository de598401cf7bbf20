// Elements that the parts of the page have in common.
import { type AllHTMLAttributes, type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import { usePage } from './language.ts';

/** All but the primary button have an outline. */
export const Button = ({ text, ...rest }: ComponentProps<'button'> & { readonly text: string }) => (
  <button type="button" className={rest.type === 'submit' ? undefined : 'outline'} {...rest}>
    {text}
  </button>
);

export type Options = readonly (readonly [value: string, text: string])[];

interface ControlProps extends Omit<AllHTMLAttributes<HTMLElement>, 'onChange'> {
  readonly onType: (text: string) => void;
  /** With them, one of them is chosen. */
  readonly options?: Options | undefined;
}

/** An input of one value: a choice, or a text of one row or several. */
export function Control({ options, onType, ...rest }: ControlProps) {
  const given = { ...rest, onChange: ({ target }: { target: { value: string } }) => onType(target.value) };
  if (rest.rows) return <textarea {...given} />;
  if (!options) return <input autoComplete="off" {...given} />;
  return (
    <select {...given}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface FieldProps extends ControlProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why it is not accepted. */
  readonly reason?: string | undefined;
}

/** A control with its label, and below it what is wrong, or a hint. */
export const Field = ({ label, hint, reason, children, ...control }: FieldProps) => (
  <div>
    <label htmlFor={control.id}>{label}</label>
    <Control {...control} aria-invalid={reason ? true : undefined} aria-describedby={`${control.id}-hint`} />
    <small id={`${control.id}-hint`}>{reason ?? hint}</small>
    {children}
  </div>
);

type CheckboxProps = ComponentProps<'input'> & { readonly label: string; readonly onPick: (is: boolean) => void };

export const Checkbox = ({ label, onPick, ...rest }: CheckboxProps) => (
  <label>
    <input type="checkbox" {...rest} onChange={({ target }) => onPick(target.checked)} />
    {label}
  </label>
);

/** A key, and a cell for each heading. */
export type TableRow = readonly [key: string | number, ...cells: ReactNode[]];

export interface Order {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

interface TableProps extends ComponentProps<'table'> {
  readonly head: Options;
  readonly rows: readonly TableRow[];
  readonly order?: Order | undefined;
  /** With it, a heading can be pressed to sort by its column. */
  readonly onSort?: (column: string) => void;
}

/** On a phone, a heading stands before each of its cells. */
export const Table = ({ head, rows, order, onSort, ...rest }: TableProps) => (
  <div className="overflow-auto">
    <table {...rest}>
      <thead>
        <tr>
          {head.map(([name, text]) => (
            <th
              key={name}
              scope="col"
              data-column={name}
              aria-sort={order?.column === name ? order.direction : undefined}
            >
              {onSort ? <Button className="" text={text} onClick={() => onSort(name)} /> : text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([key, ...cells]) => (
          <tr key={key}>
            {head.map(([name, text], index) => (
              <td key={name} data-column={name} data-label={text}>
                {cells[index]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** How many others there are that are not shown. */
export function More({ count }: { readonly count: number }) {
  const { say } = usePage();
  return count > 0 && <small>{say('and_more', { count })}</small>;
}

/** A question to the user, each answer a button. */
export const Question = ({ text, answers }: { text: string; answers: (readonly [string, () => void])[] }) => (
  <div className="question row" role="alert">
    <span className="rest">{text}</span>
    {answers.map(([answer, act]) => (
      <Button key={answer} text={answer} onClick={act} />
    ))}
  </div>
);

/** A title that takes over the keyboard if a step removes the button that was pressed. */
export function StepTitle({ step, ...rest }: ComponentProps<'h2'> & { readonly step: string }) {
  const title = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each step
  useEffect(() => {
    if (document.activeElement === document.body) title.current?.focus();
  }, [step]);
  return <h2 ref={title} tabIndex={-1} {...rest} />;
}

/** Saves a file of the page's on the user's device. */
export function download(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
