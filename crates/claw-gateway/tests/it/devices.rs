//! Devices and their tokens.

use std::time::Duration;

use claw_gateway::{Devices, GatewayError, Scope};
use claw_store::TenantId;

use crate::stores;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_valid_until_its_device_is_revoked() {
    for row in stores::all().await {
        let devices = Devices::new(row.store);
        let elsewhere = Devices::new(row.elsewhere);
        let [ada, bob] = ["ada", "bob"].map(|name| TenantId::new(name).unwrap());
        let (phone, token) = devices.add(&ada, "phone", Scope::Answer).await.unwrap();
        let (laptop, other) = devices.add(&ada, "laptop", Scope::Admin).await.unwrap();

        let (caller, id) = elsewhere.authenticate(&token).await.unwrap();
        assert_eq!((caller.tenant, caller.scope), (ada.clone(), Scope::Answer));
        let shown = format!("phone ({})", &phone.id[..8]);
        assert_eq!((&caller.device, &id), (&shown, &phone.id));
        let listed = elsewhere.list(&ada).await.unwrap();
        let names: Vec<&str> = listed.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(names, ["phone", "laptop"]);
        assert!(listed[0].used_at_ms.is_some() && listed[1].used_at_ms.is_none());
        assert!(elsewhere.list(&bob).await.unwrap().is_empty());

        // The secret of one device does not open another, and none opens without its secret.
        let mixed = token.replace(&phone.id, &laptop.id);
        let cut = &token[..token.len() - 1];
        let unknown = token.replace(&phone.id, &"0".repeat(32));
        for wrong in [
            mixed.as_str(),
            cut,
            &unknown,
            "",
            "claw_",
            "claw__",
            &phone.id,
        ] {
            let refused = devices.authenticate(wrong).await;
            assert!(
                matches!(refused, Err(GatewayError::NotFound { .. })),
                "{wrong}"
            );
        }

        let stolen = devices.revoke(&bob, &phone.id).await;
        assert!(matches!(stolen, Err(GatewayError::NotFound { .. })));
        let watch = tokio::spawn(async move { elsewhere.revoked(&id).await });
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!watch.is_finished());
        devices.revoke(&ada, &phone.id).await.unwrap();
        tokio::time::timeout(Duration::from_secs(10), watch)
            .await
            .unwrap()
            .unwrap();
        let refused = devices.authenticate(&token).await;
        assert!(matches!(refused, Err(GatewayError::NotFound { .. })));
        devices.authenticate(&other).await.unwrap();
        assert_eq!(devices.list(&ada).await.unwrap().len(), 1);
    }
}
