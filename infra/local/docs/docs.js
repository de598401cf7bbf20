/* global document, SwaggerUIBundle */
// Runs in the browser: shows openapi.json, with the demo editor's token filled in.
const { token } = document.getElementById('docs').dataset;
const page = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // It would send the document to a server elsewhere.
  validatorUrl: null,
  onComplete: () => page.preauthorizeApiKey('serviceToken', token),
});
