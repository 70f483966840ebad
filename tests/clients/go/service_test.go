package clients

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const password = "correct-horse-battery-staple"

// The services under test: one without TLS and one with it. The identity provider of both is that of the demo.
var plain, secure *service

// service is a running `gbac serve` with the header of its admin and that of a user of the identity provider.
type service struct {
	origin, admin, user string
	pool                *x509.CertPool
	process             *exec.Cmd
}

func TestMain(m *testing.M) {
	code := 1
	folder, err := os.MkdirTemp("", "gbac-clients-")
	if err == nil {
		if err = startServices(folder); err == nil {
			code = m.Run()
		}
	}
	for _, running := range []*service{plain, secure} {
		if running != nil {
			_ = running.process.Process.Signal(syscall.SIGTERM)
			_ = running.process.Wait()
		}
	}
	_ = os.RemoveAll(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func startServices(folder string) (err error) {
	if plain, err = start("--demo"); err != nil {
		return err
	}
	plain.admin = "Basic " + base64.StdEncoding.EncodeToString([]byte("admin:"+password))
	var audience string
	if plain.user, audience, err = token(plain.origin, "maya.okafor"); err != nil {
		return err
	}
	pool, err := writeCertificate(folder)
	if err != nil {
		return err
	}
	secure, err = start("--data", filepath.Join(folder, "data"), "--license", "valid",
		"--tls-cert", filepath.Join(folder, "cert.pem"), "--tls-key", filepath.Join(folder, "key.pem"),
		"--oidc-discovery-url", plain.origin+"/demo/idp/.well-known/openid-configuration",
		"--oidc-audience", audience)
	if err != nil {
		return err
	}
	secure.admin = "Basic " + base64.StdEncoding.EncodeToString([]byte("admin:"+password))
	secure.user, secure.pool = plain.user, pool
	return nil
}

// start starts the built service, which says in its first line where it listens.
func start(flags ...string) (*service, error) {
	program := os.Getenv("GBAC_BIN")
	if program == "" {
		program = "../../../target/debug/gbac"
	}
	command := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GBAC_") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(command.Env, "GBAC_ADMIN_PASSWORD="+password)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if origin, found := strings.CutPrefix(lines.Text(), "listening on "); found {
			go func() {
				for lines.Scan() {
				}
			}()
			return &service{origin: origin, process: command}, nil
		}
	}
	return nil, fmt.Errorf("%s does not listen: %v", program, command.Wait())
}

// token returns the header of a user of the demo's identity provider, and the audience of its token.
func token(origin, user string) (header, audience string, err error) {
	response, err := http.Get(origin + "/demo/idp/people")
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	var people []struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&people); err != nil {
		return "", "", err
	}
	for _, person := range people {
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(person.Token, ".")[1])
		if err != nil {
			return "", "", err
		}
		var claims struct{ Sub, Aud string }
		if err := json.Unmarshal(payload, &claims); err != nil {
			return "", "", err
		}
		if claims.Sub == user {
			return "Bearer " + person.Token, claims.Aud, nil
		}
	}
	return "", "", fmt.Errorf("the demo has no user %s", user)
}

// writeCertificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func writeCertificate(folder string) (*x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "127.0.0.1"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	pool.AppendCertsFromPEM(text)
	if err := os.WriteFile(filepath.Join(folder, "cert.pem"), text, 0o600); err != nil {
		return nil, err
	}
	text = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	return pool, os.WriteFile(filepath.Join(folder, "key.pem"), text, 0o600)
}

// transport is one way to reach a service.
type transport struct {
	name    string
	service *service
	http2   bool
}

// transports returns all ways: HTTP/1.1 and HTTP/2, each without TLS and with it. With TLS, ALPN selects HTTP/2.
func transports() []transport {
	return []transport{
		{"HTTP/1.1", plain, false},
		{"HTTP/2 without TLS", plain, true},
		{"HTTP/1.1 with TLS", secure, false},
		{"HTTP/2 with TLS", secure, true},
	}
}

// client returns an HTTP client that uses exactly this version of HTTP.
func (t transport) client(tb testing.TB, authorization string) *http.Client {
	var protocols http.Protocols
	protocols.SetHTTP1(!t.http2)
	protocols.SetHTTP2(t.http2)
	protocols.SetUnencryptedHTTP2(t.http2)
	inner := &http.Transport{Protocols: &protocols, TLSClientConfig: &tls.Config{RootCAs: t.service.pool}}
	tb.Cleanup(inner.CloseIdleConnections)
	return &http.Client{Transport: authorized{tb, t.http2, authorization, inner}, Timeout: 30 * time.Second}
}

// authorized adds credentials to requests and checks the version of the responses.
type authorized struct {
	tb            testing.TB
	http2         bool
	authorization string
	inner         http.RoundTripper
}

func (a authorized) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	if a.authorization != "" {
		request.Header.Set("Authorization", a.authorization)
	}
	response, err := a.inner.RoundTrip(request)
	if err == nil && (response.ProtoMajor == 2) != a.http2 {
		a.tb.Errorf("the response has %s", response.Proto)
	}
	return response, err
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
