//! The plugin for Apache Kafka and the plain WebAssembly module.

use crate::build_abi;
use crate::build_kafka::{self, Java};
use crate::dist::files::{copy, read, write};
use crate::dist::{Dist, VERSION};
use crate::problem::{Problem, Result};
use crate::tools;

/// Writes the jar and its POM, which names no dependencies, because the jar contains them.
pub(crate) fn kafka(dist: &Dist<'_>) -> Result<()> {
    let java = Java::find()?;
    tools::rust(dist.workspace, dist.progress)?;
    let jar = build_kafka::build(dist.workspace, dist.progress, &java)?;
    let folder = dist.folder.join("kafka");
    copy(&jar, &folder.join(format!("gbac-kafka-{VERSION}.jar")))?;
    let source = read(&dist.workspace.root.join("kafka/pom.xml"))?;
    let pom = pom(&source, dist.repository.as_deref()).ok_or_else(|| {
        Problem::new("`kafka/pom.xml` has no `<properties>` after its description")
    })?;
    write(&folder.join(format!("gbac-kafka-{VERSION}.pom")), &pom)
}

/// Writes the module without imports.
pub(crate) fn wasm(dist: &Dist<'_>) -> Result<()> {
    tools::rust(dist.workspace, dist.progress)?;
    let module = build_abi::build(dist.workspace, dist.progress)?;
    copy(&module, &dist.folder.join("wasm").join("gbac_abi.wasm"))
}

/// The POM of the module that is built here, as the user of the jar needs it.
fn pom(source: &str, repository: Option<&str>) -> Option<String> {
    let (coordinates, _) = source.split_once("  <properties>")?;
    let (_, coordinates) = coordinates.split_once("  <modelVersion>")?;
    let mut pom = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>{}\n  \
         <licenses>\n    <license>\n      <name>Apache-2.0</name>\n      \
         <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>\n    </license>\n  </licenses>\n",
        coordinates.trim_end()
    );
    if let Some(repository) = repository {
        pom +=
            &format!("  <url>{repository}</url>\n  <scm>\n    <url>{repository}</url>\n  </scm>\n");
    }
    Some(pom + "</project>\n")
}

#[cfg(test)]
mod tests {
    use super::{VERSION, pom};

    #[test]
    fn the_pom_has_coordinates_and_no_dependencies() {
        let pom = pom(
            include_str!("../../../kafka/pom.xml"),
            Some("https://example.com/gbac"),
        );
        let pom = pom.expect("a POM");
        assert!(pom.contains(&format!(
            "<artifactId>gbac-kafka</artifactId>\n  <version>{VERSION}<"
        )));
        assert!(pom.contains("<url>https://example.com/gbac</url>"));
        assert!(!pom.contains("dependenc") && !pom.contains("${"), "{pom}");
        assert_eq!(pom.matches("<modelVersion>").count(), 1);
    }
}
