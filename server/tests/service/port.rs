//! The service on a real port: it answers over a socket, says so, and stops cleanly.

use gbac_server::{ServeOptions, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// Sends a request as it is and reads until the service closes.
async fn exchange(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn the_service_listens_and_stops() {
    let server = Server::bind(&ServeOptions {
        listen: "127.0.0.1:0".into(),
        ..ServeOptions::default()
    })
    .unwrap();
    let address = server.address();
    assert!(address.ip().is_loopback() && address.port() != 0);
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));

    let mut stream = TcpStream::connect(address).await.unwrap();
    let request =
        format!("GET /gbac/v1/service HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let answer = exchange(&mut stream, &request).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains(&format!("\"issuer\":\"http://{address}/demo/idp\"")),
        "{answer}"
    );

    let mut stream = TcpStream::connect(address).await.unwrap();
    let header = format!(
        "GET / HTTP/1.1\r\nhost: {address}\r\nx-large: {}\r\n\r\n",
        "x".repeat(200_000)
    );
    let answer = exchange(&mut stream, &header).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");

    // An idle connection that could be used again does not hold up the stop.
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(format!("GET /gbac/v1/service HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let mut first = [0; 15];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert!(
        TcpStream::connect(address).await.is_err(),
        "nobody listens any more"
    );
}
