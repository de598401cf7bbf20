import { noticeOf } from 'catalog-client';
import { useState } from 'react';
import { usePage } from './context.ts';
import { Button, Control, Field, submits } from './elements.tsx';
import { languages } from './language.ts';

export const LanguageChoice = () => {
  const { code, say, speak } = usePage();
  const options = Object.entries(languages).map(([each, { name }]) => [each, name] as const);
  return <Control aria-label={say('language')} value={code} options={options} onType={speak} />;
};

interface Props {
  readonly demoToken: string;
  /** Whether the page is open: then it says that the session has ended, and leaves the keyboard where it is. */
  readonly isAgain: boolean;
  readonly signIn: (token: string) => Promise<void>;
}

/** An identity provider's sign-in takes its place. */
export function SignIn({ demoToken, isAgain, signIn }: Props) {
  const { say, notice } = usePage();
  const [token, setToken] = useState(demoToken);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState('');
  const submit = async () => {
    if (isBusy) return;
    setRefused('');
    setBusy(true);
    await signIn(token.trim()).catch((error: Error) => setRefused(notice(noticeOf(error))));
    setBusy(false);
  };
  const Place = isAgain ? 'aside' : 'main';
  return (
    <Place className="door">
      <article>
        <form id="sign-in" onSubmit={submits(submit)}>
          {isAgain ? <p role="status">{say('ended')}</p> : <h1>{say('title')}</h1>}
          {!isAgain && <p>{say('about')}</p>}
          <Field
            id="token"
            label={say('token')}
            type="password"
            value={token}
            onType={setToken}
            hint={say('token_hint')}
            required
          />
          <p role="alert">{refused}</p>
          <div className="row">
            <Button type="submit" text={say('sign_in')} aria-busy={isBusy} />
            {!isAgain && <LanguageChoice />}
          </div>
        </form>
      </article>
    </Place>
  );
}
