/* global document, location, process */
import { tryClient } from './tryClient.js';

const isPage = 'document' in globalThis;
const [url, token] = isPage ? location.hash.slice(1).split(',') : process.argv.slice(2);
const result = JSON.stringify(await tryClient(url, token).catch((error) => String(error.stack)));
if (isPage) document.body.append(Object.assign(document.createElement('pre'), { textContent: result }));
else console.log(result);
