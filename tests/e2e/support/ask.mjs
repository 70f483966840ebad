// Requests as any other client's: over HTTP, with JSON.

/** The header of a name and a password. */
export const basic = (name, password) => `Basic ${btoa(`${name}:${password}`)}`;

/** Makes requests with these credentials; a status other than a success is an error that says what was answered. */
export const asking = (origin, authorization) =>
  async function ask(method, path, { body, headers = {} } = {}) {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { response, body: text ? JSON.parse(text) : undefined };
  };
