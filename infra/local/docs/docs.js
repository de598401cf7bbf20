/* global document, SwaggerUIBundle */
// Runs in the browser: shows openapi.json, with the demo editor's token filled in.
const { token } = document.getElementById('docs').dataset;
const page = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // The validator would send the document to an external server.
  validatorUrl: null,
  onComplete: () => page.preauthorizeApiKey('serviceToken', token),
});
