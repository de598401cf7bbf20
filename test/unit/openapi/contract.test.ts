import { describe, expect, it } from 'vitest';
import { responseExamples } from '../../../lib/openapi/examples.ts';
import { create, update } from '../../support/api/apiRequests.ts';
import { contractViolations } from '../../support/api/contract.ts';
import { responseHeaders } from '../../support/api/responseHeaders.ts';

const headers = { ...responseHeaders, etag: '"1"', location: '/api/v1/api/v1/items/1' };
const created = { status: 201, headers, text: JSON.stringify(responseExamples.createItem) };
const request = create({ name: 'Chair' });

describe('validating responses against the document', () => {
  it.each([
    ['status', { ...created, status: 202 }],
    ['header', { ...created, headers: { ...headers, 'x-powered-by': 'us' } }],
    ['value of a header', { ...created, headers: { ...headers, etag: 'W/"1"' } }],
    ['content type', { ...created, headers: { ...headers, 'content-type': 'text/html' } }],
    ['member', { ...created, text: JSON.stringify({ ...responseExamples.createItem, more: 1 }) }],
    ['nested member', { ...created, text: created.text.replace('"id":', '"more":1,"id":') }],
  ])('finds an undeclared %s', (_what, answer) => {
    expect(contractViolations(request, answer)).not.toEqual([]);
  });

  it('finds a missing header and a missing member', () => {
    const { etag: _, ...others } = headers;
    expect(contractViolations(request, { ...created, headers: others })).toEqual(['lacks the header etag']);
    const text = created.text.replace('"unit":"un",', '');
    expect(contractViolations(request, { ...created, text })).toHaveLength(1);
  });

  it('finds a code that the operation does not have', () => {
    const text = JSON.stringify({ error: { message: 'Item not found.', code: 'NOT_FOUND' } });
    const answer = { status: 404, headers: responseHeaders, text };
    expect(contractViolations(update(1, {}), answer)).not.toEqual([]);
  });
});
