import type { Notice } from 'catalog-client';
import { useActionState, useEffect, useState } from 'react';
import { Button, Control, Field } from './elements.tsx';
import { languages, usePage } from './language.ts';
import { session } from './storage.ts';

export const LanguageChoice = () => {
  const { code, say, speak } = usePage();
  const options = Object.entries(languages).map(([each, { name }]) => [each, name] as const);
  return <Control aria-label={say('language')} value={code} options={options} onType={speak} />;
};

interface Props {
  readonly demoToken: string;
  /** Whether the page is open: then it says that the session has ended, and leaves the keyboard where it is. */
  readonly isAgain: boolean;
  /** Why it did not work. */
  readonly failure: Notice | undefined;
  readonly signIn: (token: string) => Promise<void>;
}

/** An identity provider's sign-in takes its place. */
export function SignIn({ demoToken, isAgain, failure, signIn }: Props) {
  const { say, notice } = usePage();
  const [token, setToken] = useState(session?.getItem('token') ?? demoToken);
  const [, submit, isBusy] = useActionState(() => signIn(token.trim()), undefined);
  // Whoever was typing goes on there.
  useEffect(() => {
    const { activeElement: before } = document;
    return () => (before as HTMLElement).focus();
  }, []);
  const Place = isAgain ? 'div' : 'main';
  return (
    <Place>
      <dialog open>
        <article>
          <form id="sign-in" action={submit}>
            {isAgain ? <p role="status">{say('ended')}</p> : <h1>{say('title')}</h1>}
            {!isAgain && <p>{say('about')}</p>}
            <Field
              id="token"
              label={say('token')}
              type="password"
              value={token}
              onType={setToken}
              hint={demoToken && say('token_hint')}
              required
            />
            <p role="alert">{failure && notice(failure)}</p>
            <div className="row">
              <Button type="submit" text={say('sign_in')} aria-busy={isBusy} />
              {!isAgain && <LanguageChoice />}
            </div>
          </form>
        </article>
      </dialog>
    </Place>
  );
}
