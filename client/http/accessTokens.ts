import { isDefect, noAnswer, RequestError, thrownText, unanswered } from './catalogClient.ts';

/** What an access token is for. */
export interface TokenRequest {
  /** The token that the service has just refused: renew it. Undefined if none was. */
  readonly refused?: string | undefined;
  /** Whether nobody waits for the answer, as when a page keeps itself current: open no sign-in then. */
  readonly background: boolean;
}

type AccessToken = (request: TokenRequest) => Promise<string>;

/** After so many milliseconds, nobody waits any longer for a token that others have asked for. */
const patience = 60_000;

/** Libraries of identity providers also reject with texts and objects. Without a network, they fail as `fetch` does. */
function noToken(thrown: unknown): RequestError {
  const isOfNetwork = ['TypeError', 'TimeoutError'].includes(Object(thrown).name) && !isDefect(thrown);
  if (isOfNetwork) return noAnswer(thrown);
  return unanswered(401, 'UNAUTHORIZED', thrownText(thrown, 'There is no access token. Sign in again.'), thrown);
}

/**
 * Asks for access tokens one at a time, so that requests that need one share its renewal: where refresh tokens are used
 * once, a second renewal would end the session.
 */
export function sharedTokens(accessToken: AccessToken): AccessToken {
  let asked: { readonly request: TokenRequest; readonly at: number; readonly answer: Promise<string> } | undefined;
  let newest: string | undefined;

  async function ask(request: TokenRequest): Promise<string> {
    try {
      newest = await accessToken(request);
      return newest;
    } catch (error) {
      throw error instanceof RequestError ? error : noToken(error);
    } finally {
      asked = undefined;
    }
  }

  return async function tokenFor({ refused, background }): Promise<string> {
    const isFirst = asked === undefined || Date.now() - asked.at > patience;
    if (asked === undefined || isFirst) {
      // Unless another request has renewed it meanwhile.
      const request = { refused: refused === newest ? refused : undefined, background };
      asked = { request, at: Date.now(), answer: Promise.resolve(request).then(ask) };
    }
    const { request, answer } = asked;
    const token = await answer;
    const isTried = isFirst || (request.refused === refused && (background || !request.background));
    return isTried || token !== refused ? token : tokenFor({ refused, background });
  };
}
