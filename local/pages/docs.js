/* global document, matchMedia, SwaggerUIBundle */
// Runs in the browser: shows openapi.json, with the demo editor's token filled in.
const { token } = document.getElementById('docs').dataset;

document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);

/** Shows errors without their example and headers until asked, because a dozen of them would fill ten screens. */
const foldErrors = () => ({
  wrapComponents: {
    response:
      (Response, { React: { createElement, useState } }) =>
      (props) => {
        const [isOpen, setOpen] = useState(props.code.startsWith('2'));
        if (isOpen) return createElement(Response, props);
        const response = props.response.delete('content').delete('headers');
        const button = createElement(
          'button',
          { className: 'btn', onClick: () => setOpen(true) },
          'Example and headers',
        );
        return [
          createElement(Response, { ...props, response, key: 'response' }),
          createElement('tr', { key: 'more' }, createElement('td'), createElement('td', {}, button)),
        ];
      },
  },
});

const page = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  plugins: [foldErrors],
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // The validator would send the document to an external server.
  validatorUrl: null,
  onComplete: () => page.preauthorizeApiKey('serviceToken', token),
});
